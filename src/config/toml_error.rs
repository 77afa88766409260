//! Errors of the TOML reader in the words of this project, with the nearest known name.
//! It must not know which file is read.

use toml::de::Error;

use super::diagnostic::Diagnostic;
use super::nearest::{list, nearest};
use super::source::Source;

/// An error of syntax.
pub fn syntax(source: &Source, error: &Error) -> Diagnostic {
    let span = error.span().unwrap_or(source.text.len()..source.text.len());
    let message = error.message();
    let (title, label) = message.split_once(", expected ").unwrap_or((message, ""));
    let label = if label.is_empty() {
        String::new()
    } else {
        format!("expected {label}")
    };
    let help = match title {
        "duplicate key" => {
            "a name can be given once; delete one of the two, or give them different names"
        }
        _ => {
            "this is no TOML; text stands in quotes, tables in [brackets] or {braces} (https://toml.io)"
        }
    };
    Diagnostic::new(source, span, title).label(label).help(help)
}

/// An error of names and types.
pub fn meaning(source: &Source, error: &Error) -> Diagnostic {
    let span = error.span().unwrap_or(0..0);
    let message = error.message();
    let at = |title: String| Diagnostic::new(source, span.clone(), title);
    if let Some(rest) = message.strip_prefix("unknown field ") {
        return unknown(&at, "name", rest);
    }
    if let Some(rest) = message.strip_prefix("unknown variant ") {
        return unknown(&at, "word", rest);
    }
    if let Some(name) = message.strip_prefix("missing field ") {
        return at(format!("{name} is missing"))
            .label("it belongs here")
            .help(format!("add {name}"));
    }
    if message.starts_with("invalid type: unit variant, expected ") {
        return more_than_a_word(&at, source.text.get(span.clone()).unwrap_or_default());
    }
    if let Some((found, expected)) = message
        .strip_prefix("invalid type: ")
        .or(message.strip_prefix("invalid value: "))
        .and_then(|m| m.split_once(", expected "))
    {
        let (found, expected) = (plain(found), plain(expected));
        return at(format!("expected {expected}, found {found}"))
            .label("of the wrong kind")
            .help(format!("write {expected} here"));
    }
    if message.starts_with("wanted exactly 1 element") || message.contains("exactly 1 entry") {
        return at("expected exactly one name in this table".to_owned())
            .label("one thing only")
            .help("keep one; several answers are written as { any-of = [..] }");
    }
    if message == "wanted string or table" {
        return at("expected a word or a table".to_owned())
            .label("of the wrong kind")
            .help("write a word in quotes, or a table with one name");
    }
    if let Some((title, help)) = message.split_once("; ") {
        return at(title.to_owned()).help(help);
    }
    at(message.to_owned())
}

/// A word that says nothing without a table behind it.
fn more_than_a_word(at: &dyn Fn(String) -> Diagnostic, written: &str) -> Diagnostic {
    let word = written.trim_matches(['"', '\'']);
    let (table, alone) = match word {
        "same" | "current" => (
            "{}, or how like it must be: { body = \"ignore\" } (bytes, json, ignore), status, volatile, headers",
            "unspecified",
        ),
        "refuse" => (
            "{}, or what is recognised: { status = [409] }, body, headers",
            "unspecified, run, replay, wait (where the clause knows them)",
        ),
        "any-of" => (
            "[\"replay\", \"wait\"]: the answers of which any is right",
            "unspecified, run, replay, wait",
        ),
        _ => ("its value", "unspecified"),
    };
    at(format!(
        "`{word}` says more than a word: it stands in a table"
    ))
    .label(format!("{{ {word} = ... }}"))
    .help(format!(
        "write {{ {word} = ... }} with {table}; words that stand alone: {alone}"
    ))
}

/// `` `naem`, expected one of `name`, `id` ``
fn unknown(at: &dyn Fn(String) -> Diagnostic, kind: &str, message: &str) -> Diagnostic {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let wrong = quoted.next().unwrap_or_default();
    let known: Vec<&str> = quoted.collect();
    let label = match nearest(wrong, known.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("no such {kind} here"),
    };
    let help = if known.is_empty() {
        "nothing can stand here".to_owned()
    } else {
        format!("known here: {}", list(known))
    };
    at(format!("unknown {kind} `{wrong}`"))
        .label(label)
        .help(help)
}

/// A type's name without the words of the programming language.
fn plain(kind: &str) -> String {
    match kind {
        "a sequence" | "sequence" => "a list in [brackets]".to_owned(),
        "a map" | "map" => "a table".to_owned(),
        "a string" => "text in quotes".to_owned(),
        "a boolean" => "true or false".to_owned(),
        // what the text says may be a secret
        _ if kind.starts_with("string ") => "text in quotes".to_owned(),
        "u16" => "a whole number from 0 to 65535".to_owned(),
        "u32" | "u64" => "a whole number, 0 or more".to_owned(),
        _ if kind.starts_with("struct ") => "a table".to_owned(),
        _ if kind.starts_with("enum ") => "a word or a table".to_owned(),
        _ => kind.to_owned(),
    }
}
