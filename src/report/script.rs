//! A drill's requests as a script for bash: every request of its first round, in order, under fresh keys.
//! It must not know what they showed.

use super::document::{AttemptRecord, DrillRecord};
use super::story::{CodeLine, again, repeat};
use super::{Document, text};

/// The script.
#[must_use]
pub fn render(document: &Document, drill: &DrillRecord) -> String {
    let mut out = String::from("#!/usr/bin/env bash\n");
    out.push_str(&format!(
        "# {}: {}\n",
        text::line(&drill.id),
        text::line(&drill.title)
    ));
    out.push_str(&format!(
        "# recorded by the run {} against {}\n",
        text::line(&document.run.id),
        text::line(&document.run.urls.join(", "))
    ));
    if drill.timed {
        out.push_str("# what arrives together is no matter for a shell, which would see a short window once in twenty\n");
        out.push_str(&format!("exec {}\n", again(document, drill)));
        return out;
    }
    out.push_str("set -u\n");
    let sent: Vec<&AttemptRecord> = document
        .attempts
        .iter()
        .filter(|attempt| {
            attempt.drill == drill.id && attempt.round == 0 && attempt.step != "setup"
        })
        .collect();
    for line in repeat(document, drill, &sent) {
        if matches!(line, CodeLine::Words(_)) {
            // replies end without a line break
            out.push('\n');
            out.push_str(&line.folded(100));
            out.push_str("; echo\n");
        } else {
            out.push_str(&line.folded(100));
            out.push('\n');
        }
    }
    text::without_commands(&out)
}
