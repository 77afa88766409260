//! The contract card as text for a terminal.
//! It must not know where the text goes.

use super::card::{Card, with_attempts};
use crate::report::text::line;

/// Writes it, in lines of at most `columns`.
#[must_use]
pub fn text(card: &Card, columns: usize) -> String {
    let mut out = format!(
        "What was seen of {}\nrun {} of {}; the numbers in brackets are attempts of its journal; ! marks what no contract should say\n",
        line(&card.urls.join(", ")),
        card.run,
        card.started_at
    );
    if let Some(why) = &card.stopped {
        out.push_str(&format!(
            "\nthe target could not be observed: {}\n",
            line(why)
        ));
    }
    let several = card.questions.iter().any(|asked| asked.answers.len() > 1);
    for (n, asked) in card.questions.iter().enumerate() {
        out.push_str(&format!("\n{}. {}\n", n + 1, asked.question));
        if asked.answers.is_empty() {
            out.push_str("   nothing was seen\n");
        }
        for answers in &asked.answers {
            if several || n == 0 {
                out.push_str(&format!("   {}\n", line(&answers.operation)));
            }
            for sight in &answers.sights {
                let mark = if sight.alarm { "!" } else { "-" };
                let told = line(&with_attempts(sight));
                wrap(&mut out, &format!("   {mark} "), "     ", &told, columns);
            }
        }
    }
    if !card.unseen.is_empty() {
        out.push_str("\nNot tried\n");
        for unseen in &card.unseen {
            let told = format!("{}: {}", unseen.drills.join(", "), unseen.why);
            wrap(&mut out, "   - ", "     ", &line(&told), columns);
        }
    }
    out
}

fn wrap(out: &mut String, head: &str, indent: &str, text: &str, columns: usize) {
    let mut at = head.chars().count();
    out.push_str(head);
    let mut first = true;
    for word in text.split(' ') {
        let width = word.chars().count();
        if !first && at + 1 + width > columns.max(40) {
            out.push('\n');
            out.push_str(indent);
            at = indent.chars().count();
            first = true;
        }
        if !first {
            out.push(' ');
            at += 1;
        }
        out.push_str(word);
        at += width;
        first = false;
    }
    out.push('\n');
}
