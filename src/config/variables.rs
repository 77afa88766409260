//! Errors about variables at the place where they are used, and the expansion of a whole file.
//! It must not know what the texts mean.

use std::collections::BTreeSet;
use std::ops::Range;

use super::diagnostic::Diagnostic;
use super::document::Document;
use super::expand::{ExpandError, Variables, expand};
use super::source::Source;

/// How the error of a variable begins that has no value.
const UNSET: &str = "the variable `";

/// Where variables have no value, what is wrong with the rest may be nothing but that: only these errors are left, one for each.
/// Says whether there are any.
pub fn only_unset(errors: &mut Vec<Diagnostic>) -> bool {
    let is_unset = |error: &Diagnostic| error.title.starts_with(UNSET);
    if !errors.iter().any(is_unset) {
        return false;
    }
    let mut told = BTreeSet::new();
    errors.retain(|error| is_unset(error) && told.insert(error.title.clone()));
    true
}

/// An error about a variable, at the place where it is used.
pub fn expand_error(source: &Source, within: Range<usize>, error: &ExpandError) -> Diagnostic {
    let (part, title, help) = match error {
        ExpandError::Unset(name) => (
            format!("${{{name}}}"),
            format!("{UNSET}{name}` is not set"),
            format!("set it: export {name}=...; a `${{` that is meant as text is written $${{"),
        ),
        ExpandError::Malformed(part) => (
            part.clone(),
            "expected ${VARIABLE}".to_owned(),
            "a `${` that is meant as text is written $${".to_owned(),
        ),
    };
    let found = source
        .text
        .get(within.clone())
        .and_then(|text| text.find(&part));
    let span = found.map_or(within.clone(), |at| {
        within.start + at..within.start + at + part.len()
    });
    Diagnostic::new(source, span, title).help(help)
}

/// Expands the variables of all texts of a file.
pub fn expand_all(
    document: &mut Document<'_>,
    env: &dyn Fn(&str) -> Option<String>,
    used: &mut Variables,
) -> Vec<Diagnostic> {
    let source = document.source.clone();
    let mut wrong = Vec::new();
    document.change_strings(&mut |text, span| match expand(text, env, used) {
        Ok(changed) => changed,
        Err(error) => {
            wrong.push(expand_error(&source, span, &error));
            None
        }
    });
    wrong
}
