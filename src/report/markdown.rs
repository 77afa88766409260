//! Markdown for a pull request, a wiki or a step summary; always under a megabyte.
//! It must not know which site shows it: what came from outside stands in code, where nothing is a link, a mention or a tag.

use super::summary::{self, word};
use super::{Document, Options, story, table, text};
use crate::judge::Verdict;

/// GitHub refuses step summaries above 1 MiB; a quarter stays free for what a workflow adds.
const MOST_BYTES: usize = 768 * 1024;

/// The report as Markdown.
#[must_use]
pub fn render(document: &Document, options: &Options) -> String {
    let mut out = format!("## doubletap: {}\n\n", word(document.verdict));
    if let Some(stopped) = &document.stopped {
        out.push_str(&format!(
            "The target cannot be tested: {}\n\n{}\n\n",
            inline(&stopped.why),
            inline(&stopped.remedy)
        ));
    }
    if !document.drills.is_empty() {
        out.push_str("| drill | verdict | evidence |\n|---|---|---|\n");
    }
    for drill in &document.drills {
        let verdict = match drill.verdict {
            Verdict::Fail => "**FAIL**",
            other => word(other),
        };
        out.push_str(&format!(
            "| {} | {verdict} | {} |\n",
            cell(&code(&drill.id)),
            cell(&inline(&text::short(&drill.reason, 400)))
        ));
    }
    let end: String = summary::lines(document)
        .iter()
        .map(|line| format!("- {}\n", inline(line)))
        .collect();
    let told: Vec<_> = summary::worst_first(document)
        .into_iter()
        .filter(|drill| match drill.verdict {
            Verdict::Fail | Verdict::Known | Verdict::Warn => true,
            Verdict::Inconclusive => drill.began_us.is_some(),
            Verdict::Pass => options.all_evidence,
            Verdict::Skip | Verdict::Observed => false,
        })
        .collect();
    let layout = Options {
        width: 100,
        color: false,
        ..*options
    };
    for (at, drill) in told.iter().enumerate() {
        let body = table::story(&story::tell(document, drill), &layout);
        let section = format!(
            "\n<details><summary>{}: {}</summary>\n\n{}\n</details>\n",
            word(drill.verdict),
            html(&drill.id),
            fenced(&body)
        );
        if out.len() + section.len() + end.len() > MOST_BYTES {
            out.push_str(&format!(
                "\n{} left out here; other formats have them.\n",
                text::counted((told.len() - at) as u64, "more story").replace("storys", "stories")
            ));
            break;
        }
        out.push_str(&section);
    }
    out.push('\n');
    out.push_str(&end);
    text::without_commands(&out)
}

/// Plain where every character is tame, else as code.
fn inline(text: &str) -> String {
    let text = text::line(text);
    let tame = |c: char| c.is_alphanumeric() || " .,;:()/'%+=?-".contains(c);
    // three colons or dots make no markup; two slashes may make a link
    if text.chars().all(tame)
        && !text.contains("://")
        && !text.contains("www.")
        && !starts_a_block(&text)
    {
        text
    } else {
        code(&text)
    }
}

/// Whether a line would begin a list, a heading or a rule.
fn starts_a_block(text: &str) -> bool {
    let numbered = text.trim_start_matches(|c: char| c.is_ascii_digit());
    text.starts_with(['-', '+', '=', ' '])
        || (numbered.len() < text.len() && numbered.starts_with(['.', ')']))
}

/// A code span whose delimiters are longer than any run of backticks in it.
fn code(text: &str) -> String {
    let text = text::line(text);
    let ticks = "`".repeat(longest_run(&text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// In a table even code ends at a bar.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn fenced(text: &str) -> String {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    format!("{fence}text\n{}\n{fence}\n", text.trim_end())
}

fn longest_run(text: &str) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

fn html(text: &str) -> String {
    text::line(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('@', "<span>@</span>")
}
