//! Edits of bodies, tried out on the declared body so that none leads nowhere.
//! It must not know how bodies are put on the wire, nor change what is sent.

use serde_json::Value;

use super::body::probe;
use super::diagnostic::Diagnostic;
use super::nearest::{list, nearest};
use super::places::Places;
use super::target::{Body, Variant};

/// Tries the edits of a variant on the base body.
pub fn try_edits(
    places: &Places<'_>,
    path: &[&str],
    base: &Body,
    variant: &Variant,
    wrong: &mut Vec<Diagnostic>,
) {
    let first = variant
        .set
        .first()
        .map(|(at, _)| ("set", at.as_str()))
        .or_else(|| variant.remove.first().map(|at| ("remove", at.as_str())));
    let Some((table, name)) = first else { return };
    match base {
        Body::Json(text) => {
            let Ok(mut value) = probe(text) else { return };
            let before = value.clone();
            for (pointer, new) in &variant.set {
                let is_changed = path.last() == Some(&"changed");
                if let Some((why, help)) = led_astray(&value, pointer, is_changed) {
                    let at = [path, &["set", pointer]].concat();
                    wrong.push(places.error_at_name(&at, why).help(help));
                } else if let Err(why) = set(&mut value, pointer, new.clone()) {
                    wrong.push(
                        places
                            .error_at_name(&[path, &["set", pointer]].concat(), why)
                            .help(POINTER_HELP),
                    );
                }
            }
            for (n, pointer) in variant.remove.iter().enumerate() {
                if let Err(why) = remove(&mut value, pointer) {
                    wrong.push(
                        places
                            .error(&[path, &["remove", &n.to_string()]].concat(), why)
                            .help(POINTER_HELP),
                    );
                }
            }
            if value == before && wrong.is_empty() && path.last() == Some(&"changed") {
                let error = places.error(path, "the changed body is the same as the base one");
                wrong.push(error.help("set another value than the one that stands there"));
            }
        }
        Body::Form(fields) => {
            let names = || fields.iter().map(|(name, _)| name.as_str());
            for (field, _) in &variant.set {
                let name = field.trim_start_matches('/');
                let near = nearest(name, names());
                let is_changed = path.last() == Some(&"changed");
                if names().all(|known| known != name) && (is_changed || near.is_some()) {
                    let at = [path, &["set", field]].concat();
                    let error =
                        places.error_at_name(&at, format!("the form has no field `{name}`"));
                    wrong.push(error.help(near.map_or_else(
                        || format!("its fields are {}; to send another one, write the whole other body as `form`", list(names())),
                        |near| format!("did you mean `{near}`?"),
                    )));
                }
            }
            for (n, field) in variant.remove.iter().enumerate() {
                let field = field.trim_start_matches('/');
                if fields.iter().all(|(name, _)| name != field) {
                    let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
                    let error = places.error(
                        &[path, &["remove", &n.to_string()]].concat(),
                        format!("the form has no field `{field}`"),
                    );
                    wrong.push(error.help(format!("its fields are {}", names.join(", "))));
                }
            }
        }
        Body::Empty | Body::Text { .. } => {
            let error = places.error_at_name(
                &[path, &[table, name]].concat(),
                format!("`{table}` edits JSON and form bodies, and this request has neither"),
            );
            wrong.push(error.help("write the whole other body as `text` with its `content-type`"));
        }
    }
}

/// Why a pointer to nothing is no addition that somebody meant, and what helps: a name like one that is there, or a changed body,
/// in which something that is there has another value.
pub fn led_astray(body: &Value, pointer: &str, is_changed: bool) -> Option<(String, String)> {
    if body.pointer(pointer).is_some() {
        return None;
    }
    let (parent, name) = split(pointer).ok()?;
    let Value::Object(members) = body.pointer(parent)? else {
        return None;
    };
    let mut all = Vec::new();
    pointers(body, "", &mut all);
    let beside = nearest(&name, members.keys().map(String::as_str));
    let written = |name: &str| format!("{parent}/{}", name.replace('~', "~0").replace('/', "~1"));
    // the right name in the wrong place
    let elsewhere = || {
        let end = &pointer[parent.len()..];
        all.iter().find(|known| known.ends_with(end)).cloned()
    };
    let near = beside.map(written).or_else(elsewhere);
    let help = match (&near, is_changed) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, false) => return None,
        (None, true) => format!(
            "the body has {}; to add a member on purpose, write the whole other body as `json`",
            list(all.iter().map(String::as_str))
        ),
    };
    Some((format!("the body has nothing at `{pointer}`"), help))
}

/// The places of a body that hold a value of their own.
fn pointers(value: &Value, at: &str, all: &mut Vec<String>) {
    const ENOUGH: usize = 20;
    let mut below = |name: String, value: &Value| {
        if all.len() < ENOUGH {
            let name = name.replace('~', "~0").replace('/', "~1");
            pointers(value, &format!("{at}/{name}"), all);
        }
    };
    match value {
        Value::Object(members) => members
            .iter()
            .for_each(|(name, value)| below(name.clone(), value)),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(n, value)| below(n.to_string(), value)),
        _ => all.push(at.to_owned()),
    }
}

const POINTER_HELP: &str =
    "a JSON Pointer names a place from the outside in: /order/items/0/amount";

/// Where a value would be put: its parent must be there.
pub fn set(value: &mut Value, pointer: &str, new: Value) -> Result<(), String> {
    let (parent, name) = split(pointer)?;
    let nowhere = || format!("the body has nothing at `{parent}`");
    match value.pointer_mut(parent).ok_or_else(nowhere)? {
        Value::Object(members) => {
            members.insert(name, new);
            Ok(())
        }
        Value::Array(items) => match name.parse::<usize>() {
            Ok(n) if n < items.len() => {
                items[n] = new;
                Ok(())
            }
            _ => Err(format!("the list at `{parent}` has no element `{name}`")),
        },
        _ => Err(format!(
            "what stands at `{parent}` is neither an object nor a list"
        )),
    }
}

fn remove(value: &mut Value, pointer: &str) -> Result<(), String> {
    let (parent, name) = split(pointer)?;
    let removed = match value.pointer_mut(parent) {
        Some(Value::Object(members)) => members.shift_remove(&name).is_some(),
        Some(Value::Array(items)) => match name.parse::<usize>() {
            Ok(n) if n < items.len() => {
                items.remove(n);
                true
            }
            _ => false,
        },
        _ => false,
    };
    if removed {
        Ok(())
    } else {
        Err(format!("the body has nothing at `{pointer}`"))
    }
}

fn split(pointer: &str) -> Result<(&str, String), String> {
    if !pointer.starts_with('/') {
        return Err(format!("`{pointer}` is no JSON Pointer"));
    }
    let at = pointer.rfind('/').unwrap_or(0);
    Ok((
        &pointer[..at],
        pointer[at + 1..].replace("~1", "/").replace("~0", "~"),
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_edit_needs_a_place() {
        let mut value = json!({"a": {"b": [1, 2]}});
        set(&mut value, "/a/c", json!(1)).unwrap();
        set(&mut value, "/a/b/1", json!(3)).unwrap();
        remove(&mut value, "/a/b/0").unwrap();
        assert_eq!(value, json!({"a": {"b": [3], "c": 1}}));
        for (pointer, why) in [
            ("/x/y", "nothing at `/x`"),
            ("a", "no JSON Pointer"),
            ("/a/b/7", "no element"),
            ("/a/c/d", "neither"),
        ] {
            let error = set(&mut value, pointer, json!(0)).unwrap_err();
            assert!(error.contains(why), "{pointer}: {error}");
        }
        assert!(remove(&mut value, "/a/x").is_err());
    }
}
