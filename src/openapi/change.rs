//! What can be changed in a body, and where it takes a text of the tool's own or the key.
//! It must not know how the body was made.

use serde_json::Value;

use super::body::Body;
use super::scalar::REFERENCES;

impl Body {
    /// Where the tool may put a text of its own.
    pub fn reference(&self) -> Option<String> {
        let rank = |name: &str| {
            let name = name.to_lowercase();
            REFERENCES.iter().position(|known| *known == name)
        };
        let best = |names: &mut dyn Iterator<Item = &String>| {
            let ranked = names.filter_map(|name| Some((rank(name)?, name.clone())));
            ranked.min().map(|(_, name)| name)
        };
        match self {
            Self::Json(Value::Object(members), _) => {
                let texts = members.iter().filter(|(_, value)| value.is_string());
                best(&mut texts.map(|(name, _)| name)).map(|name| format!("/{}", escaped(&name)))
            }
            Self::Form(fields) => best(&mut fields.iter().map(|(name, _)| name)),
            _ => None,
        }
    }

    /// Another request of the same meaning: the first integer one higher, else the first text a little longer.
    pub fn changed(&self) -> Option<(String, Value)> {
        let reference = self.reference();
        let mut places = Vec::new();
        match self {
            Self::Json(value, _) => collect(value, "", &mut places),
            Self::Form(fields) => {
                places.extend(fields.iter().map(|(name, value)| {
                    let number = value.parse::<i64>().map(Value::from);
                    (
                        name.clone(),
                        number.unwrap_or_else(|_| Value::from(value.clone())),
                    )
                }));
            }
            Self::Empty => return None,
        }
        places.retain(|(at, _)| reference.as_ref() != Some(at));
        let number = places.iter().find_map(|(at, value)| {
            let next = value.as_i64()?.saturating_add(1);
            let next = match self {
                Self::Form(_) => Value::from(next.to_string()),
                _ => Value::from(next),
            };
            Some((at.clone(), next))
        });
        number.or_else(|| {
            // a text from a list of words has no longer one
            let mut texts = places.iter().filter_map(|(at, v)| Some((at, v.as_str()?)));
            let free = texts
                .clone()
                .find(|(_, text)| text.contains("doubletap") || text.contains(' '));
            let (at, text) = free.or_else(|| texts.next())?;
            Some((at.clone(), Value::from(format!("{text}2"))))
        })
    }

    /// The member that is named after idempotency, as a JSON Pointer: it carries the key.
    pub fn key_member(&self) -> Option<String> {
        let Self::Json(Value::Object(members), _) = self else {
            return None;
        };
        let mut names = members.keys();
        let name = names.find(|name| name.to_lowercase().contains("idempoten"))?;
        Some(format!("/{}", escaped(name)))
    }

    /// The body without a member of the outermost object.
    pub fn without(&mut self, pointer: &str) {
        if let Self::Json(Value::Object(members), _) = self {
            members.retain(|name, _| format!("/{}", escaped(name)) != pointer);
        }
    }
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Numbers and texts with their places; elements of arrays are left alone.
fn collect(value: &Value, at: &str, found: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                collect(member, &format!("{at}/{}", escaped(name)), found);
            }
        }
        Value::Number(_) | Value::String(_) => found.push((at.to_owned(), value.clone())),
        _ => {}
    }
}
