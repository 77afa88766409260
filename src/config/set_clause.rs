//! `--set CLAUSE=VALUE`: one clause from the command line, its value in TOML, a bare word taken as text.
//! It must not know what clauses mean.

use super::diagnostic::Diagnostic;
use super::document::Document;
use super::places::COMMAND_LINE;
use super::source::Source;
use crate::contract::ContractPatch;

/// Reads one `--set`.
pub fn parse_set(argument: &str) -> Result<ContractPatch, Vec<Diagnostic>> {
    const FLAG: &str = "--set ";
    let shown = Source::new(COMMAND_LINE, format!("{FLAG}{argument}"));
    let Some((clause, value)) = argument.split_once('=') else {
        let error = Diagnostic::new(
            &shown,
            FLAG.len()..shown.text.len(),
            "expected CLAUSE=VALUE",
        );
        return Err(vec![error.help(
            "such as --set in-progress=wait or --set mismatch.refuse.status=[409]",
        )]);
    };
    let is_word = value.starts_with(|c: char| c.is_ascii_alphanumeric())
        && value
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_.:/".contains(c))
        && value.parse::<f64>().is_err()
        && !matches!(value, "true" | "false");
    let quotes = usize::from(is_word);
    let text = if is_word {
        format!("{clause}=\"{value}\"")
    } else {
        argument.to_owned()
    };
    let source = Source::new(COMMAND_LINE, text);
    let read = Document::parse(&source).and_then(|document| document.read::<ContractPatch>());
    read.map_err(|errors| {
        errors
            .into_iter()
            .map(|mut error| {
                // the caret belongs into what was typed: behind the flag, and without the added quotes
                let shift = |byte: usize| {
                    (byte + FLAG.len() - if byte > clause.len() + 1 { quotes } else { 0 })
                        .min(shown.text.len())
                };
                let end = if error.span.end == source.text.len() {
                    shown.text.len()
                } else {
                    shift(error.span.end)
                };
                error.span = shift(error.span.start)..end;
                error.source = Some(shown.clone());
                error
            })
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::parse_set;
    use crate::contract::{Answer, Length, StatusPattern};

    #[test]
    fn a_bare_word_is_text_and_everything_else_is_toml() {
        assert_eq!(
            parse_set("in-progress=wait")
                .unwrap()
                .in_progress
                .unwrap()
                .value,
            Answer::Wait
        );
        assert_eq!(
            parse_set("in-progress-for=5s")
                .unwrap()
                .in_progress_for
                .unwrap()
                .value,
            Length::seconds(5)
        );
        assert!(
            !parse_set("one-effect=false")
                .unwrap()
                .one_effect
                .unwrap()
                .value
        );
        assert_eq!(
            parse_set("key.most=64").unwrap().key.unwrap().value.most,
            Some(64)
        );
        let Answer::Refuse(how) = parse_set("mismatch.refuse.status=[409]")
            .unwrap()
            .mismatch
            .unwrap()
            .value
        else {
            panic!()
        };
        assert_eq!(how.status, [StatusPattern::Exact(409)]);
    }

    #[test]
    fn the_caret_points_into_what_was_typed() {
        let error = &parse_set("mismach=run").unwrap_err()[0];
        assert_eq!(
            &error.source.as_ref().unwrap().text[error.span.clone()],
            "mismach"
        );
        let error = &parse_set("mismatch=runn").unwrap_err()[0];
        assert!(
            error.source.as_ref().unwrap().text[error.span.clone()].starts_with("runn"),
            "{error:?}"
        );
    }
}
