//! The report for a terminal: a table of verdicts, the stories of what did not pass, and the last lines.
//! It must not know whether it is a terminal that gets it; width and colour are told.

use comfy_table::{
    Attribute, Cell, Color, ColumnConstraint, ContentArrangement, LineStyle, Table, Width, presets,
};

use super::story::{self, Part, Story};
use super::summary::{self, word};
use super::{Document, Options, fit, text};
use crate::judge::Verdict;

/// Columns that labels of a story take.
const LABEL: u16 = 10;

/// The whole report.
#[must_use]
pub fn render(document: &Document, options: &Options) -> String {
    let mut out = String::new();
    if let Some(stopped) = &document.stopped {
        out.push_str(&format!(
            "the target cannot be tested: {}\n",
            text::lines(&stopped.why)
        ));
        if !stopped.remedy.is_empty() {
            out.push_str(&format!("what to do: {}\n", text::lines(&stopped.remedy)));
        }
        out.push('\n');
    }
    // a target that was never tested has no verdicts to show, only the reason
    let nothing_sent =
        document.stopped.is_some() && document.drills.iter().all(|drill| drill.began_us.is_none());
    if !document.drills.is_empty() && !nothing_sent {
        out.push_str(&verdicts(document, options));
        out.push('\n');
    }
    for drill in summary::worst_first(document) {
        let told = match drill.verdict {
            Verdict::Fail | Verdict::Known | Verdict::Warn => true,
            // what was never begun has its whole story in the table
            Verdict::Inconclusive => drill.began_us.is_some(),
            // what nobody declares is counted below: its story is told to those who ask
            Verdict::Observed => options.all_evidence && !drill.checks.is_empty(),
            Verdict::Pass => options.all_evidence,
            Verdict::Skip => false,
        };
        if told {
            out.push('\n');
            out.push_str(&story(&story::tell(document, drill), options));
        }
    }
    if !out.ends_with("\n\n") {
        out.push('\n');
    }
    for line in summary::lines(document) {
        out.push_str(&wrapped(&line, options));
        out.push('\n');
    }
    text::without_commands(&out)
}

/// The drills with their verdicts, one line of evidence each.
#[must_use]
pub fn verdicts(document: &Document, options: &Options) -> String {
    let mut table = plain_table(options);
    table.load_style(presets::UTF8_HORIZONTAL_ONLY);
    table.style_mut().row_separator = LineStyle::none();
    table.set_header(["drill", "verdict", "evidence"]);
    // ids are what people copy: they stay whole where there is room, and break where their parts meet where there is none
    let most = usize::from(options.columns()) * 2 / 5;
    let ids: Vec<String> = document
        .drills
        .iter()
        .map(|drill| fit::parted(&text::line(&drill.id), most))
        .collect();
    for (drill, id) in document.drills.iter().zip(&ids) {
        table.add_row([
            Cell::new(id),
            colored(drill.verdict, options),
            Cell::new(text::line(&drill.reason)),
        ]);
    }
    let longest = ids
        .iter()
        .flat_map(|id| id.lines())
        .map(|part| part.chars().count());
    let words = document
        .drills
        .iter()
        .map(|drill| word(drill.verdict).len());
    let widths = [
        longest.max().unwrap_or(0).min(most),
        words.max().unwrap_or(0).max("verdict".len()),
    ];
    for (at, width) in widths.into_iter().enumerate() {
        if let Some(column) = table.column_mut(at) {
            let width = Width::Fixed(u16::try_from(width + 2).unwrap_or(u16::MAX));
            column.set_constraint(ColumnConstraint::Absolute(width));
        }
    }
    trimmed(&table)
}

fn colored(verdict: Verdict, options: &Options) -> Cell {
    let cell = Cell::new(word(verdict));
    if !options.color {
        return cell;
    }
    let color = match verdict {
        Verdict::Pass => Color::Green,
        Verdict::Fail => Color::Red,
        Verdict::Known | Verdict::Warn | Verdict::Inconclusive => Color::Yellow,
        Verdict::Skip => Color::DarkGrey,
        Verdict::Observed => Color::Cyan,
    };
    let cell = cell.fg(color);
    if verdict == Verdict::Fail {
        cell.add_attribute(Attribute::Bold)
    } else {
        cell
    }
}

/// A story as text: also what formats without a layout of their own put into their fields.
#[must_use]
pub fn story(story: &Story, options: &Options) -> String {
    let mut head = plain_table(options);
    head.add_row([
        colored(story.verdict, options),
        Cell::new(format!("{}: {}", story.id, story.title)),
    ]);
    let label = u16::try_from(word(story.verdict).len()).unwrap_or(0) + 2;
    if let Some(column) = head.column_mut(0) {
        column.set_padding((0, 2));
        column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(label)));
    }
    unpad_last(&mut head, 1);
    let mut out = trimmed(&head);
    out.push('\n');
    for part in &story.parts {
        let (label, body) = match part {
            Part::Text(label, body) => (label, text_part(label, body, options)),
            Part::Rows(label, rows) => (label, rows_part(label, rows, options)),
            Part::Code(label, lines) => {
                let width = usize::from(options.columns()) - 4;
                let code: Vec<String> = lines
                    .iter()
                    .flat_map(|line| {
                        let folded = line.folded(width);
                        folded
                            .lines()
                            .map(|line| format!("    {line}"))
                            .collect::<Vec<_>>()
                    })
                    .collect();
                (label, format!("  {label}\n{}", code.join("\n")))
            }
        };
        debug_assert!(label.len() < usize::from(LABEL));
        out.push_str(&body);
        out.push('\n');
    }
    out
}

fn text_part(label: &str, body: &str, options: &Options) -> String {
    let mut table = plain_table(options);
    table.add_row([label, body]);
    label_column(&mut table);
    unpad_last(&mut table, 1);
    trimmed(&table)
}

fn rows_part(label: &str, rows: &[Vec<String>], options: &Options) -> String {
    let width = usize::from(options.columns()).saturating_sub(usize::from(LABEL) + 2);
    let rows = &fit::requests(rows, width);
    let mut table = plain_table(options);
    for (at, row) in rows.iter().enumerate() {
        let label = if at == 0 { label } else { "" };
        table.add_row(std::iter::once(label).chain(row.iter().map(String::as_str)));
    }
    label_column(&mut table);
    let last = rows.iter().map(Vec::len).max().unwrap_or(0);
    for at in 1..last {
        if let Some(column) = table.column_mut(at) {
            column.set_padding((0, 2));
            // short cells stay whole; the answer takes what is left
            if at != last {
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
        }
    }
    unpad_last(&mut table, last);
    trimmed(&table)
}

fn label_column(table: &mut Table) {
    if let Some(column) = table.column_mut(0) {
        column.set_padding((2, 1));
        column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(LABEL + 2)));
    }
}

fn unpad_last(table: &mut Table, at: usize) {
    if let Some(column) = table.column_mut(at) {
        column.set_padding((0, 0));
    }
}

fn wrapped(line: &str, options: &Options) -> String {
    let mut table = plain_table(options);
    table.add_row([line]);
    unpad_last(&mut table, 0);
    trimmed(&table)
}

fn plain_table(options: &Options) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(options.columns());
    if options.color {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    table
}

/// The table without blanks at the ends of its lines.
fn trimmed(table: &Table) -> String {
    table
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect::<Vec<_>>()
        .join("\n")
}
