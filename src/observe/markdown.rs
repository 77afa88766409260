//! The contract card as Markdown, for a wiki, a pull request or a ticket.
//! It must not know where the text goes.

use super::against::{Row, Standing};
use super::card::{Card, attempts};
use crate::report::text::line;

/// Writes it.
#[must_use]
pub fn markdown(card: &Card) -> String {
    let mut out = format!(
        "# Contract card: {}\n\nSeen in run `{}` of {}. Every line names the attempts behind it; **!** marks what no contract should say.\n",
        escaped(&card.urls.join(", ")),
        card.run,
        card.started_at
    );
    if let Some(why) = &card.stopped {
        out.push_str(&format!(
            "\nThe target could not be observed: {}\n",
            escaped(why)
        ));
    }
    for (n, asked) in card.questions.iter().enumerate() {
        out.push_str(&format!("\n## {}. {}\n\n", n + 1, asked.question));
        if asked.answers.is_empty() {
            out.push_str("Nothing was seen.\n");
            continue;
        }
        out.push_str("| operation | seen | clause | attempts |\n|---|---|---|---|\n");
        for answers in &asked.answers {
            for sight in &answers.sights {
                let mark = if sight.alarm { "**!** " } else { "" };
                let clause = sight
                    .clause
                    .as_ref()
                    .map_or(String::new(), |c| format!("`{c}`"));
                out.push_str(&format!(
                    "| {} | {mark}{} | {clause} | {} |\n",
                    escaped(&answers.operation),
                    escaped(&sight.words),
                    attempts(sight)
                ));
            }
        }
    }
    if !card.unseen.is_empty() {
        out.push_str("\n## Not tried\n\n");
        for unseen in &card.unseen {
            out.push_str(&format!(
                "- {}: {}\n",
                escaped(&unseen.drills.join(", ")),
                escaped(&unseen.why)
            ));
        }
    }
    out
}

/// One line without anything that Markdown or HTML would take for its own.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in line(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '!' | '~' => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

/// Documentation beside behaviour, as a table.
#[must_use]
pub fn against(rows: &[Row], documented: &str) -> String {
    let mut out = format!(
        "\n## Documentation ({}) beside behaviour\n\n| operation | clause | documented | seen | so |\n|---|---|---|---|---|\n",
        escaped(documented)
    );
    for row in rows {
        let standing = match row.standing {
            Standing::Agrees => "agrees",
            Standing::Differs => "**differs**",
            Standing::NotSeen => "not seen",
            Standing::Undocumented => "undocumented",
        };
        out.push_str(&format!(
            "| {} | `{}` | {} | {} | {standing} |\n",
            escaped(&row.operation),
            row.clause,
            escaped(&row.documented),
            escaped(&row.seen)
        ));
    }
    out
}
