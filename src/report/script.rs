//! A drill's requests as a script for bash: every request of the round that shows it, in order, under fresh keys.
//! It must not know what they showed.

use super::bash::{fold, literal};
use super::document::DrillRecord;
use super::repeat::{self, Line};
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
    let lines = repeat::lines(document, drill);
    if let [Line::Again(command)] = &lines[..] {
        out.push_str("# what arrives together is no matter for a shell, which would see a short window once in twenty\n");
        out.push_str(&format!("exec {command}\n"));
        return out;
    }
    out.push_str("set -u\n");
    for line in lines {
        match line {
            Line::Plain(line) | Line::Again(line) => out.push_str(&format!("{line}\n")),
            Line::Shown(name, words) => {
                // replies end without a line break
                out.push_str(&format!("\necho {}\n", literal(&format!("# {name}"))));
                out.push_str(&fold(&words, 100));
                out.push_str("; echo\n");
            }
            Line::Quiet(words) => out.push_str(&format!("{}\n", fold(&words, 100))),
        }
    }
    text::without_commands(&out)
}
