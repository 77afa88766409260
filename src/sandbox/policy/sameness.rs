//! Whether two requests under one key are the same request: what differs between them, and what each difference counts.
//! Must not know scopes, nor what happens to another request.

use serde_json::{Map, Value};

use super::print::Print;
use super::spelling::spelling;
use crate::contract::{Covers, Fingerprint, Sameness};

/// Members that this API knows; all others are added ones.
const KNOWN: [&str; 7] = [
    "amount",
    "currency",
    "reference",
    "note",
    "payment",
    "lines",
    "simulate",
];

/// A difference in writing, or in small things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Difference {
    Order,
    Blanks,
    Numbers,
    Nulls,
    Arrays,
    Escapes,
    Added,
    Charset,
    Headers,
}

impl Difference {
    /// Those that can be seen in the members of the body.
    const IN_MEMBERS: [Self; 5] = [
        Self::Order,
        Self::Numbers,
        Self::Nulls,
        Self::Arrays,
        Self::Added,
    ];

    /// Whether it makes another request.
    fn matters(self, declared: &Fingerprint) -> bool {
        let clause = match self {
            Self::Order => &declared.members_reordered,
            Self::Blanks => &declared.whitespace,
            Self::Numbers => &declared.number_form,
            Self::Nulls => &declared.null_member,
            Self::Arrays => &declared.array_reordered,
            Self::Escapes => &declared.unicode_escapes,
            Self::Added => &declared.added_member,
            Self::Charset => &declared.content_type_charset,
            Self::Headers => &declared.unrelated_header,
        };
        match clause.value {
            Sameness::Same => false,
            Sameness::Different => true,
            Sameness::Unspecified => match (declared.covers.value, self) {
                (Covers::None, _) | (_, Self::Charset | Self::Headers) => false,
                (Covers::Bytes, _) => true,
                (_, difference) => {
                    matches!(difference, Self::Nulls | Self::Arrays | Self::Added)
                }
            },
        }
    }
}

/// Whether the second request is the first one again. `key_at` is the key's own place in the body.
pub(super) fn same(
    declared: &Fingerprint,
    first: &Print,
    second: &Print,
    key_at: Option<&str>,
) -> bool {
    let mut differences = Vec::new();
    if first.charset != second.charset {
        differences.push(Difference::Charset);
    }
    if first.others != second.others {
        differences.push(Difference::Headers);
    }
    let ignored: Vec<&str> = declared
        .ignores
        .value
        .iter()
        .map(String::as_str)
        .chain(key_at)
        .collect();
    let meaning = match (&first.document, &second.document) {
        (Some(one), Some(other)) => {
            let (mut one, mut other) = (one.clone(), other.clone());
            for pointer in &ignored {
                remove(&mut one, pointer);
                remove(&mut other, pointer);
            }
            let Some(found) = in_members(&one, &other) else {
                return declared.covers.value == Covers::None;
            };
            let shapes_differ = found
                .iter()
                .any(|found| matches!(found, Difference::Nulls | Difference::Added));
            differences.extend(found);
            if first.is_json && second.is_json {
                let (one, other) = (spelling(&first.raw), spelling(&second.raw));
                if one.blanks != other.blanks {
                    differences.push(Difference::Blanks);
                }
                // A member more is a string more, which is no other way to write one.
                if one.strings != other.strings && !shapes_differ && ignored.is_empty() {
                    differences.push(Difference::Escapes);
                }
            }
            // What has no name of its own differs in bytes all the same.
            !differences.is_empty()
                || declared.covers.value != Covers::Bytes
                || !ignored.is_empty()
                || first.raw == second.raw
        }
        _ => declared.covers.value == Covers::None || first.raw == second.raw,
    };
    meaning
        && !differences
            .iter()
            .any(|difference| difference.matters(declared))
}

/// The differences between two bodies; none if they mean something else.
fn in_members(one: &Value, other: &Value) -> Option<Vec<Difference>> {
    let equal_but_for = |kept: Option<Difference>| {
        let form = |value: &Value, beside: &Value| normal(value, Some(beside), kept).to_string();
        form(one, other) == form(other, one)
    };
    equal_but_for(None).then(|| {
        let all = Difference::IN_MEMBERS.into_iter();
        all.filter(|difference| !equal_but_for(Some(*difference)))
            .collect()
    })
}

/// The value in one form for all ways to write it, except for the difference that is kept.
fn normal(value: &Value, beside: Option<&Value>, kept: Option<Difference>) -> Value {
    match value {
        Value::Object(members) => {
            let other = beside.and_then(Value::as_object);
            let mut members: Vec<(&String, &Value)> = members
                .iter()
                .filter(|(name, value)| {
                    let added = other.is_some_and(|other| {
                        !other.contains_key(*name) && !KNOWN.contains(&name.as_str())
                    });
                    // A member that is null is none more.
                    match value {
                        Value::Null => kept == Some(Difference::Nulls),
                        _ => !added || kept == Some(Difference::Added),
                    }
                })
                .collect();
            if kept != Some(Difference::Order) {
                members.sort_by_key(|(name, _)| *name);
            }
            let normal_members = members
                .into_iter()
                .map(|(name, value)| (name.clone(), normal(value, None, kept)));
            Value::Object(normal_members.collect::<Map<_, _>>())
        }
        Value::Array(elements) => {
            let mut elements: Vec<Value> = elements
                .iter()
                .map(|element| normal(element, None, kept))
                .collect();
            if kept != Some(Difference::Arrays) {
                elements.sort_by_key(Value::to_string);
            }
            Value::Array(elements)
        }
        Value::Number(number) if kept != Some(Difference::Numbers) => {
            let float = number.as_f64().filter(|_| !number.is_i64());
            let whole = float.filter(|float| float.fract() == 0.0);
            let whole = whole.and_then(|float| format!("{float:.0}").parse::<i64>().ok());
            whole.map_or_else(|| value.clone(), Value::from)
        }
        other => other.clone(),
    }
}

fn remove(document: &mut Value, pointer: &str) {
    let Some((parent, last)) = pointer.rsplit_once('/') else {
        return;
    };
    let name = last.replace("~1", "/").replace("~0", "~");
    match document.pointer_mut(parent) {
        Some(Value::Object(members)) => {
            members.shift_remove(&name);
        }
        Some(Value::Array(elements)) => {
            if let Some(at) = name.parse::<usize>().ok().filter(|at| *at < elements.len()) {
                elements.remove(at);
            }
        }
        _ => {}
    }
}
