//! Baseline files: violations that are known, each with a reason and the day until which it may stay.
//! It must not know whether they are still seen, nor what day it is.

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::diagnostic::Diagnostic;
use super::document::Document;
use super::source::Source;

/// The version of the format.
pub const VERSION: u32 = 1;

/// A violation that is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Known {
    /// The drill: `drill/case@operation`.
    pub drill: String,
    /// The check: `SITUATION:STEP`.
    pub check: String,
    /// The clause that is violated.
    pub clause: String,
    /// Why it may stay for now.
    pub reason: String,
    /// The last day on which it does not fail.
    #[schemars(with = "String")]
    pub until: Date,
}

/// What is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Baseline {
    /// The file, as the user knows it.
    pub file: String,
    /// The violations.
    pub known: Vec<Known>,
}

/// A baseline file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct BaselineFile {
    /// The version of the format: 1.
    pub version: u32,
    /// The violations that are known.
    #[serde(default)]
    pub known: Vec<KnownTable>,
}

/// A violation that is known.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct KnownTable {
    /// The drill, whole: `drill.mismatch@payment`.
    pub drill: String,
    /// The check: `mismatch:changed`.
    pub check: String,
    /// The clause that is violated: `mismatch`.
    pub clause: String,
    /// Why it may stay for now.
    pub reason: String,
    /// The last day on which it does not fail: `2030-12-31`.
    pub until: Day,
}

/// A day, with or without quotes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "expected a day; write the last day on which it may be seen, such as \"2030-12-31\""
)]
pub enum Day {
    /// In quotes.
    Text(String),
    /// Without.
    Bare(#[schemars(with = "String")] toml::value::Datetime),
}

impl Day {
    fn date(&self) -> Option<Date> {
        match self {
            Self::Text(text) => text.parse().ok(),
            // a time of day would say more than is heeded
            Self::Bare(date) => date
                .to_string()
                .parse()
                .ok()
                .filter(|_| date.time.is_none()),
        }
    }
}

/// Reads a baseline file.
pub fn parse_baseline(source: &Source) -> Result<Baseline, Vec<Diagnostic>> {
    let document = Document::parse(source)?;
    let file: BaselineFile = document.read()?;
    let mut wrong = Vec::new();
    let at = |path: &[&str], title: String| {
        Diagnostic::new(source, document.value_span(path).unwrap_or(0..0), title)
    };
    if file.version != VERSION {
        wrong.push(
            at(&["version"], format!("unknown version {}", file.version))
                .label("of another format")
                .help(format!("this doubletap reads version {VERSION}; write the file again with `doubletap baseline write`")),
        );
    }
    let mut known: Vec<Known> = Vec::new();
    for (n, table) in file.known.iter().enumerate() {
        let n = n.to_string();
        let place = |field| ["known", n.as_str(), field];
        let shaped = [
            ("drill", &table.drill, '@', "drill.mismatch@payment"),
            ("check", &table.check, ':', "mismatch:changed"),
        ];
        for (field, text, mark, such) in shaped {
            if !text.contains(mark) {
                wrong.push(
                    at(&place(field), format!("`{text}` is no {field}"))
                        .label(format!("a {field} has a `{mark}`"))
                        .help(format!("write it as the report does, such as \"{such}\"")),
                );
            }
        }
        if table.reason.trim().is_empty() {
            wrong.push(
                at(&place("reason"), "a known violation without a reason".to_owned())
                    .label("says nothing")
                    .help("say why it may stay for now, such as \"SHOP-123: fixed with the new checkout\""),
            );
        }
        let Some(until) = table.until.date() else {
            wrong.push(
                at(&place("until"), "expected a day".to_owned())
                    .label("no day")
                    .help("write the last day on which it may be seen, such as \"2030-12-31\""),
            );
            continue;
        };
        let entry = Known {
            drill: table.drill.clone(),
            check: table.check.clone(),
            clause: table.clause.clone(),
            reason: table.reason.trim().to_owned(),
            until,
        };
        if known.iter().any(|other| other.is_of(&entry)) {
            wrong.push(
                at(&place("drill"), "the same violation twice".to_owned())
                    .label("known already")
                    .help("keep one entry for a drill, check and clause"),
            );
        }
        known.push(entry);
    }
    if wrong.is_empty() {
        Ok(Baseline {
            file: source.name.clone(),
            known,
        })
    } else {
        Err(wrong)
    }
}

impl Known {
    /// Whether two entries are of one violation.
    #[must_use]
    pub fn is_of(&self, other: &Self) -> bool {
        (&self.drill, &self.check, &self.clause) == (&other.drill, &other.check, &other.clause)
    }
}

/// A baseline file as text; each violation comes with what was seen of it, on one line.
#[must_use]
pub fn text(known: &[(Known, String)]) -> String {
    let mut out = format!(
        "# Known violations, written by `doubletap baseline write`. Each is shown and does not fail until its last day is over.\n\
         # What is fixed must be taken out: an entry whose violation is not seen any more fails.\n\
         version = {VERSION}\n"
    );
    for (known, seen) in known {
        let quoted = |text: &str| toml::Value::from(text).to_string();
        out.push_str(&format!(
            "\n# {seen}\n[[known]]\ndrill  = {}\ncheck  = {}\nclause = {}\nreason = {}\nuntil  = {}\n",
            quoted(&known.drill),
            quoted(&known.check),
            quoted(&known.clause),
            quoted(&known.reason),
            known.until
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(reason: &str) -> Known {
        Known {
            drill: "drill.mismatch@payment".into(),
            check: "mismatch:changed".into(),
            clause: "mismatch".into(),
            reason: reason.into(),
            until: jiff::civil::date(2030, 12, 31),
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        let entry = known("\"quoted\", two\nlines, and a \\ backslash");
        let text = text(&[(entry.clone(), "400 instead of 422".to_owned())]);
        let read = parse_baseline(&Source::new("b.toml", text)).unwrap();
        assert_eq!(read.known, [entry]);
    }

    #[test]
    fn a_day_may_stand_in_quotes_or_not() {
        for day in ["2030-12-31", "\"2030-12-31\""] {
            let text =
                text(&[(known("r"), "x".to_owned())]).replace("= 2030-12-31", &format!("= {day}"));
            let read = parse_baseline(&Source::new("b.toml", text)).unwrap();
            assert_eq!(read.known[0].until, jiff::civil::date(2030, 12, 31));
        }
    }
}
