//! Drill files: read, and checked for names that lead nowhere.
//! It must not know what steps do, nor how checks are judged.

use std::ops::Range;

use toml::de::DeValue;

use super::diagnostic::Diagnostic;
use super::document::Document;
use super::nearest::{list, nearest};
use super::source::Source;
use super::suite::{Drill, RequestFields, Step};

/// Reads a drill and checks that every name in it leads somewhere.
pub fn parse_drill(source: &Source) -> Result<Drill, Vec<Diagnostic>> {
    let document = Document::parse(source)?;
    let doubled = [
        ("step", "a step does one thing"),
        ("check", "a check names one situation"),
    ]
    .into_iter()
    .flat_map(|(table, rule)| not_one(&document, table, rule))
    .collect::<Vec<_>>();
    if !doubled.is_empty() {
        return Err(doubled);
    }
    let drill: Drill = document.read()?;
    let mut reading = Reading {
        document: &document,
        drill: &drill,
        wrong: Vec::new(),
    };
    reading.names();
    reading.steps();
    reading.keys();
    reading.cases();
    reading.checks();
    let wrong = reading.wrong;
    if wrong.is_empty() {
        Ok(drill)
    } else {
        Err(wrong)
    }
}

/// Entries of an array of tables that hold no name, or more than one.
fn not_one(document: &Document<'_>, table: &str, rule: &str) -> Vec<Diagnostic> {
    let mut wrong = Vec::new();
    let Some(DeValue::Array(entries)) = document.value(table) else {
        return wrong;
    };
    for entry in entries.iter() {
        let DeValue::Table(names) = entry.get_ref() else {
            continue;
        };
        let mut spans: Vec<(Range<usize>, String)> = names
            .keys()
            .map(|name| (name.span(), name.get_ref().to_string()))
            .collect();
        spans.sort_by_key(|(span, _)| span.start);
        match spans.as_slice() {
            [_] => {}
            [] => wrong.push(
                Diagnostic::new(document.source, entry.span(), rule)
                    .label("nothing here")
                    .help(format!("write one [[{table}]] with one name in it")),
            ),
            [first, second, ..] => {
                let error = Diagnostic::new(document.source, second.0.clone(), rule)
                    .label(format!("`{}` is a second one", second.1))
                    .also(first.0.clone(), "the first")
                    .help(format!("begin a new [[{table}]] before `{}`", second.1));
                wrong.push(error);
            }
        }
    }
    wrong
}

/// A drill with the places of its parts.
pub struct Reading<'a> {
    document: &'a Document<'a>,
    /// The drill.
    pub drill: &'a Drill,
    /// What is wrong with it.
    pub wrong: Vec<Diagnostic>,
}

/// A request with the path at which it stands.
pub type Placed<'a> = (Vec<String>, &'a RequestFields);

impl<'a> Reading<'a> {
    /// An error at a path.
    pub fn at(&mut self, path: &[String], title: impl Into<String>) -> Diagnostic {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let named =
            |path: &[&str]| path.len() >= 2 && ["with", "keys"].contains(&path[path.len() - 2]);
        // where the name itself is what leads nowhere, the caret goes to the name
        let span = if named(&path) {
            self.document.key_span(&path)
        } else {
            self.document.value_span(&path)
        };
        Diagnostic::new(self.document.source, span.unwrap_or(0..0), title)
    }

    /// A name that leads nowhere.
    pub fn unknown(&mut self, path: &[String], what: &str, name: &str, known: &[&str]) {
        let label = nearest(name, known.iter().copied())
            .map_or(String::new(), |near| format!("did you mean `{near}`?"));
        let help = if known.is_empty() {
            format!("there is no {what} at all")
        } else {
            format!("known: {}", list(known.iter().copied()))
        };
        let error = self
            .at(path, format!("there is no {what} `{name}`"))
            .label(label)
            .help(help);
        self.wrong.push(error);
    }

    /// `SUITE.NAME`.
    fn names(&mut self) {
        let id = &self.drill.id;
        let is_word = |word: &str| {
            !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        };
        if !id
            .split_once('.')
            .is_some_and(|(suite, name)| is_word(suite) && is_word(name))
        {
            let error = self.at(&texts(&["id"]), format!("`{id}` is no drill's id"));
            self.wrong
                .push(error.help("SUITE.NAME, such as mine.late-twin: letters, digits and dashes"));
        }
        for (table, empty) in [
            ("step", self.drill.step.is_empty()),
            ("check", self.drill.check.is_empty()),
        ] {
            if empty {
                let error = self.at(&texts(&[table]), format!("the drill has no {table}"));
                self.wrong.push(error.help(format!("add a [[{table}]]")));
            }
        }
        for (n, method) in self.drill.methods.iter().enumerate() {
            if method.is_empty() || !method.bytes().all(|b| b.is_ascii_uppercase()) {
                let error = self.at(
                    &texts(&["methods", &n.to_string()]),
                    format!("`{method}` is no method"),
                );
                self.wrong
                    .push(error.help("methods are written in capitals, such as \"PUT\""));
            }
        }
    }

    /// All requests.
    pub fn requests(&self) -> Vec<Placed<'a>> {
        let mut requests = Vec::new();
        for (n, step) in self.drill.step.iter().enumerate() {
            let path = |names: &[&str]| texts(&[&["step", &n.to_string()], names].concat());
            match step {
                Step::Send(fields) => requests.push((path(&["send"]), fields)),
                Step::Retry(fields) => requests.push((path(&["retry"]), fields)),
                Step::Read(fields) => requests.push((path(&["read"]), fields)),
                Step::Burst(burst) => {
                    for (m, fields) in burst.send.iter().enumerate() {
                        requests.push((path(&["burst", "send", &m.to_string()]), fields));
                    }
                }
                Step::Overlap(overlap) => {
                    requests.push((path(&["overlap", "first"]), &overlap.first));
                    for (m, fields) in overlap.during.iter().enumerate() {
                        requests.push((path(&["overlap", "during", &m.to_string()]), fields));
                    }
                }
                Step::Count(_) | Step::Expire(_) | Step::Hook(_) | Step::Wait(_) => {}
            }
        }
        requests
    }

    /// The names of all counts.
    pub fn counts(&self) -> Vec<&'a str> {
        self.drill
            .step
            .iter()
            .filter_map(|step| {
                if let Step::Count(count) = step {
                    Some(count.name.as_str())
                } else {
                    None
                }
            })
            .collect()
    }

    /// The names of all requests.
    pub fn request_names(&self) -> Vec<&'a str> {
        self.requests()
            .into_iter()
            .filter_map(|(_, fields)| fields.name.as_deref())
            .collect()
    }

    /// Names are given once, and steps say what they need to.
    fn steps(&mut self) {
        let mut seen: Vec<(String, Vec<String>)> = Vec::new();
        let mut named: Vec<(String, Vec<String>)> = self
            .requests()
            .into_iter()
            .filter_map(|(path, fields)| {
                Some((fields.name.clone()?, [path, texts(&["as"])].concat()))
            })
            .collect();
        for (n, step) in self.drill.step.iter().enumerate() {
            let path = |names: &[&str]| texts(&[&["step", &n.to_string()], names].concat());
            match step {
                Step::Count(count) => named.push((count.name.clone(), path(&["count", "as"]))),
                Step::Wait(wait)
                    if [
                        wait.length.is_some(),
                        wait.percent_of_retention.is_some(),
                        wait.until.is_some(),
                    ]
                    .into_iter()
                    .filter(|given| *given)
                    .count()
                        != 1 =>
                {
                    let error = self.at(&path(&["wait"]), "a wait has one length");
                    self.wrong.push(error.help(
                        "give `for = \"2s\"`, `percent-of-retention = 80` or `until = \"end-of-run\"`",
                    ));
                }
                Step::Burst(burst) if burst.send.is_empty() => {
                    let error = self.at(&path(&["burst"]), "a burst sends something");
                    self.wrong.push(error.help(
                        "such as send = [{ as = \"copies\", key = \"k\", body = \"base\" }]",
                    ));
                }
                Step::Overlap(overlap) if overlap.during.is_empty() => {
                    let error = self.at(
                        &path(&["overlap"]),
                        "nothing is sent while the first is held",
                    );
                    self.wrong.push(error.help("add requests to `during`"));
                }
                _ => {}
            }
        }
        for (name, path) in named {
            if let Some((_, first)) = seen.iter().find(|(known, _)| *known == name) {
                let first: Vec<&str> = first.iter().map(String::as_str).collect();
                let first = self.document.value_span(&first).unwrap_or(0..0);
                let error = self
                    .at(&path, format!("the name `{name}` is given twice"))
                    .label("again")
                    .also(first, "first here");
                self.wrong
                    .push(error.help("checks could not tell the two apart; rename one"));
            } else {
                seen.push((name, path));
            }
        }
    }
}

/// A path.
pub fn texts(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bundled_drill_is_sound() {
        let mut count = 0;
        for (name, text) in crate::bundled::drills() {
            if let Err(errors) = parse_drill(&Source::new(name, text)) {
                let shown: Vec<String> = errors.iter().map(|error| error.render(false)).collect();
                panic!("{}", shown.join("\n\n"));
            }
            count += 1;
        }
        assert!(count > 20, "{count} drills");
    }
}
