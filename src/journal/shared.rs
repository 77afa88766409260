//! Header lists of which equal ones are held once: copies of a burst differ in nothing there, and a race has many thousands.
//! It must not know what the headers mean.

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize};

/// Names and values, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Headers(#[serde(serialize_with = "as_list")] Arc<Vec<(String, String)>>);

fn as_list<S: serde::Serializer>(
    list: &Arc<Vec<(String, String)>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    list.as_slice().serialize(serializer)
}

impl<'de> Deserialize<'de> for Headers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::from)
    }
}

impl JsonSchema for Headers {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Headers".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<(String, String)>::json_schema(generator)
    }
}

impl From<Vec<(String, String)>> for Headers {
    fn from(list: Vec<(String, String)>) -> Self {
        Self(Arc::new(list))
    }
}

impl FromIterator<(String, String)> for Headers {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(pairs: I) -> Self {
        pairs.into_iter().collect::<Vec<_>>().into()
    }
}

impl<'h> IntoIterator for &'h Headers {
    type Item = &'h (String, String);
    type IntoIter = std::slice::Iter<'h, (String, String)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl Deref for Headers {
    type Target = [(String, String)];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

/// The header lists seen last.
#[derive(Clone, Debug, Default)]
pub struct Recent(Vec<Headers>);

/// How many are kept in mind: what is sent, and the replies to the first and to its duplicates in one second or the next.
const KEPT: usize = 8;

impl Recent {
    /// Makes an equal list of before stand in for this one.
    pub fn share(&mut self, headers: &mut Headers) {
        if let Some(known) = self.0.iter().find(|known| *known == headers) {
            *headers = known.clone();
            return;
        }
        if self.0.len() == KEPT {
            self.0.remove(0);
        }
        self.0.push(headers.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(value: &str) -> Headers {
        vec![("a".to_owned(), value.to_owned())].into()
    }

    #[test]
    fn equal_lists_are_held_once_and_others_are_not() {
        let mut recent = Recent::default();
        let (mut one, mut again, mut other) = (list("1"), list("1"), list("2"));
        for headers in [&mut one, &mut again, &mut other] {
            recent.share(headers);
        }
        assert!(Arc::ptr_eq(&one.0, &again.0));
        assert!(!Arc::ptr_eq(&one.0, &other.0));
    }

    #[test]
    fn it_is_written_as_the_list_that_it_is() {
        let text = serde_json::to_string(&list("1")).unwrap();
        assert_eq!(text, r#"[["a","1"]]"#);
        assert_eq!(serde_json::from_str::<Headers>(&text).unwrap(), list("1"));
    }
}
