//! A TOML text as a tree that knows the place of every key and value, and its reading into types.
//! It must not know which types there are, nor what their values mean.

use std::ops::Range;

use serde::de::DeserializeOwned;
use serde_spanned::Spanned;
use toml::de::{DeTable, DeValue};

use super::diagnostic::Diagnostic;
use super::source::Source;
use super::toml_error;

/// A parsed text.
#[derive(Clone, Debug)]
pub struct Document<'s> {
    /// The text.
    pub source: &'s Source,
    root: Spanned<DeTable<'s>>,
}

impl<'s> Document<'s> {
    /// Parses a text; every syntax error is reported, one a line.
    pub fn parse(source: &'s Source) -> Result<Self, Vec<Diagnostic>> {
        let (root, errors) = DeTable::parse_recoverable(&source.text);
        if !errors.is_empty() {
            let mut wrong: Vec<Diagnostic> = Vec::new();
            for error in &errors {
                let found = toml_error::syntax(source, error);
                let line = source.line(found.span.start);
                // what follows the first error of a line is mostly its echo
                if wrong
                    .iter()
                    .all(|other| source.line(other.span.start) != line)
                {
                    wrong.push(found);
                }
            }
            return Err(wrong);
        }
        Ok(Self { source, root })
    }

    /// Reads the tree into a type. Unknown names are all reported; of other errors the first.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Vec<Diagnostic>> {
        let mut root = self.root.clone();
        let mut wrong = Vec::new();
        loop {
            match T::deserialize(toml::Deserializer::from(root.clone())) {
                Ok(value) if wrong.is_empty() => return Ok(value),
                Ok(_) => return Err(wrong),
                Err(error) => {
                    wrong.push(toml_error::meaning(self.source, &error));
                    let unknown = error.message().starts_with("unknown field");
                    let removed = unknown
                        && error
                            .span()
                            .is_some_and(|span| remove_key(root.get_mut(), &span));
                    if !removed {
                        return Err(wrong);
                    }
                }
            }
        }
    }

    /// Calls `change` for every string, with its place. Keys are left alone.
    pub fn change_strings(&mut self, change: &mut dyn FnMut(&str, Range<usize>) -> Option<String>) {
        change_table(self.root.get_mut(), change);
    }

    /// A value at the top.
    pub fn value(&self, name: &str) -> Option<&DeValue<'s>> {
        self.root.get_ref().get(name).map(Spanned::get_ref)
    }

    /// The place of the value at a path, or of what stands nearest above it.
    pub fn value_span(&self, path: &[&str]) -> Option<Range<usize>> {
        self.find(path).map(|(_, value)| value)
    }

    /// The place of the name at the end of a path, or of what stands nearest above it.
    pub fn key_span(&self, path: &[&str]) -> Option<Range<usize>> {
        self.find(path).map(|(key, _)| key)
    }

    /// Whether something stands exactly there.
    pub fn has(&self, path: &[&str]) -> bool {
        let mut value = None;
        for name in path {
            value = match value {
                None => self.root.get_ref().get(*name),
                Some(value) => step(value, name).map(|(_, value)| value),
            };
            if value.is_none() {
                return false;
            }
        }
        true
    }

    fn find(&self, path: &[&str]) -> Option<(Range<usize>, Range<usize>)> {
        let (first, rest) = path.split_first()?;
        let (key, mut value) = self.root.get_ref().get_key_value(*first)?;
        let mut found = (key.span(), value.span());
        for name in rest {
            let Some((key, next)) = step(value, name) else {
                break;
            };
            found = (key.unwrap_or_else(|| next.span()), next.span());
            value = next;
        }
        Some(found)
    }
}

type Stepped<'a, 's> = (Option<Range<usize>>, &'a Spanned<DeValue<'s>>);

fn step<'a, 's>(value: &'a Spanned<DeValue<'s>>, name: &str) -> Option<Stepped<'a, 's>> {
    match value.get_ref() {
        DeValue::Table(table) => table
            .get_key_value(name)
            .map(|(key, value)| (Some(key.span()), value)),
        DeValue::Array(array) => Some((None, array.get(name.parse::<usize>().ok()?)?)),
        _ => None,
    }
}

/// Removes the entry whose name stands exactly there.
fn remove_key(table: &mut DeTable<'_>, span: &Range<usize>) -> bool {
    let found = table
        .keys()
        .find(|key| key.span() == *span)
        .map(|key| key.get_ref().to_string());
    if let Some(name) = found {
        return table.remove(name.as_str()).is_some();
    }
    table
        .iter_mut()
        .any(|(_, value)| remove_within(value, span))
}

fn remove_within(value: &mut Spanned<DeValue<'_>>, span: &Range<usize>) -> bool {
    match value.get_mut() {
        DeValue::Table(table) => remove_key(table, span),
        DeValue::Array(array) => array.iter_mut().any(|item| remove_within(item, span)),
        _ => false,
    }
}

fn change_table(
    table: &mut DeTable<'_>,
    change: &mut dyn FnMut(&str, Range<usize>) -> Option<String>,
) {
    for (_, value) in table.iter_mut() {
        change_value(value, change);
    }
}

fn change_value(
    value: &mut Spanned<DeValue<'_>>,
    change: &mut dyn FnMut(&str, Range<usize>) -> Option<String>,
) {
    let span = value.span();
    match value.get_mut() {
        DeValue::String(text) => {
            if let Some(changed) = change(text, span) {
                *text = changed.into();
            }
        }
        DeValue::Array(array) => array.iter_mut().for_each(|item| change_value(item, change)),
        DeValue::Table(table) => change_table(table, change),
        _ => {}
    }
}
