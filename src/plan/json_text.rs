//! Edits of JSON text that touch only the named bytes: everything else goes out exactly as it was written.
//! It must not know what the edits are for.

use std::ops::Range;

/// A value's place in a JSON text.
pub type Place = Range<usize>;

/// What can be wrong with a text or a pointer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The text is no JSON.
    #[error("the body is no JSON (at byte {0})")]
    NotJson(usize),
    /// The pointer's parent is not there.
    #[error("the body has nothing at `{0}`")]
    Nowhere(String),
    /// The pointer has no leading slash.
    #[error("`{0}` is no JSON Pointer; it begins with `/`")]
    NoPointer(String),
}

/// One member of an object, or one element of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The member's name, unescaped; `None` in an array.
    pub name: Option<String>,
    /// From the first byte of name or value to the last of the value.
    pub whole: Place,
    /// The value alone.
    pub value: Place,
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: u32,
}

impl Scanner<'_> {
    fn blank(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn string(&mut self) -> Result<Place, EditError> {
        let start = self.at;
        if self.bytes.get(self.at) != Some(&b'"') {
            return Err(EditError::NotJson(self.at));
        }
        self.at += 1;
        loop {
            match self.bytes.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(start..self.at);
                }
                Some(b'\\') => self.at += 2,
                Some(_) => self.at += 1,
                None => return Err(EditError::NotJson(self.at)),
            }
        }
    }

    fn value(&mut self) -> Result<Place, EditError> {
        self.blank();
        let start = self.at;
        match self.bytes.get(self.at) {
            Some(b'"') => self.string(),
            Some(b'{' | b'[') => {
                // a body nested deeper than any parser allows is refused here, not on the stack
                if self.depth >= 128 {
                    return Err(EditError::NotJson(self.at));
                }
                self.depth += 1;
                self.items()?;
                self.depth -= 1;
                Ok(start..self.at)
            }
            Some(byte) if byte.is_ascii_alphanumeric() || *byte == b'-' => {
                while matches!(self.bytes.get(self.at), Some(b) if b.is_ascii_alphanumeric() || b"+-.".contains(b))
                {
                    self.at += 1;
                }
                Ok(start..self.at)
            }
            _ => Err(EditError::NotJson(self.at)),
        }
    }

    fn items(&mut self) -> Result<Vec<Item>, EditError> {
        let close = match self.bytes.get(self.at) {
            Some(b'{') => b'}',
            Some(b'[') => b']',
            _ => return Err(EditError::NotJson(self.at)),
        };
        self.at += 1;
        let mut items = Vec::new();
        self.blank();
        if self.bytes.get(self.at) == Some(&close) {
            self.at += 1;
            return Ok(items);
        }
        loop {
            self.blank();
            let start = self.at;
            let name = if close == b'}' {
                let name = self.string()?;
                let name = std::str::from_utf8(&self.bytes[name])
                    .ok()
                    .and_then(|text| serde_json::from_str(text).ok());
                self.blank();
                if self.bytes.get(self.at) != Some(&b':') {
                    return Err(EditError::NotJson(self.at));
                }
                self.at += 1;
                Some(name.ok_or(EditError::NotJson(start))?)
            } else {
                None
            };
            let value = self.value()?;
            items.push(Item {
                name,
                whole: start..value.end,
                value,
            });
            self.blank();
            match self.bytes.get(self.at) {
                Some(b',') => self.at += 1,
                Some(byte) if *byte == close => {
                    self.at += 1;
                    return Ok(items);
                }
                _ => return Err(EditError::NotJson(self.at)),
            }
        }
    }
}

/// The place of the outermost value, surrounding blanks left out.
pub fn root(text: &str) -> Result<Place, EditError> {
    serde_json::from_str::<serde::de::IgnoredAny>(text).map_err(|_| EditError::NotJson(0))?;
    Scanner {
        bytes: text.as_bytes(),
        at: 0,
        depth: 0,
    }
    .value()
}

/// The members of the object, or elements of the array, that stands at a place. Empty for anything else.
pub fn items(text: &str, place: &Place) -> Result<Vec<Item>, EditError> {
    match text.as_bytes().get(place.start) {
        Some(b'{' | b'[') => Scanner {
            bytes: text.as_bytes(),
            at: place.start,
            depth: 0,
        }
        .items(),
        _ => Ok(Vec::new()),
    }
}

fn segments(pointer: &str) -> Result<Vec<String>, EditError> {
    let rest = pointer
        .strip_prefix('/')
        .ok_or_else(|| EditError::NoPointer(pointer.to_owned()))?;
    Ok(rest
        .split('/')
        .map(|segment| segment.replace("~1", "/").replace("~0", "~"))
        .collect())
}

fn step(text: &str, place: &Place, segment: &str) -> Result<Option<Item>, EditError> {
    let items = items(text, place)?;
    Ok(match text.as_bytes()[place.start] {
        b'{' => items
            .into_iter()
            .find(|item| item.name.as_deref() == Some(segment)),
        b'[' => segment
            .parse::<usize>()
            .ok()
            .and_then(|index| items.into_iter().nth(index)),
        _ => None,
    })
}

/// The item at a JSON Pointer, where there is one.
pub fn find(text: &str, pointer: &str) -> Result<Option<Item>, EditError> {
    let mut place = root(text)?;
    let mut found = None;
    for segment in segments(pointer)? {
        match step(text, &place, &segment)? {
            Some(item) => {
                place = item.value.clone();
                found = Some(item);
            }
            None => return Ok(None),
        }
    }
    Ok(found)
}

/// The text with the value at a pointer replaced, or a new member added at the end of its object.
pub fn set(text: &str, pointer: &str, value: &str) -> Result<String, EditError> {
    if let Some(item) = find(text, pointer)? {
        return Ok(format!(
            "{}{value}{}",
            &text[..item.value.start],
            &text[item.value.end..]
        ));
    }
    let (parent, name) = pointer
        .rsplit_once('/')
        .ok_or_else(|| EditError::NoPointer(pointer.to_owned()))?;
    let place = if parent.is_empty() {
        root(text)?
    } else {
        find(text, parent)?
            .ok_or_else(|| EditError::Nowhere(parent.to_owned()))?
            .value
    };
    let name = name.replace("~1", "/").replace("~0", "~");
    let end = place.end - 1;
    let before = items(text, &place)?
        .last()
        .map_or(place.start + 1, |item| item.whole.end);
    let comma = if before == place.start + 1 { "" } else { "," };
    match text.as_bytes()[place.start] {
        b'{' => {
            let name = serde_json::Value::from(name);
            Ok(format!(
                "{}{comma}{name}:{value}{}",
                &text[..before],
                &text[before.min(end)..]
            ))
        }
        b'[' if name == "-" => Ok(format!(
            "{}{comma}{value}{}",
            &text[..before],
            &text[before.min(end)..]
        )),
        _ => Err(EditError::Nowhere(pointer.to_owned())),
    }
}

/// The text with an empty object wherever the way to a pointer meets a member that an object does not have.
pub fn with_parents(text: &str, pointer: &str) -> Result<String, EditError> {
    let mut text = text.to_owned();
    for (end, _) in pointer.match_indices('/').skip(1) {
        let parent = &pointer[..end];
        if find(&text, parent)?.is_none() {
            text = set(&text, parent, "{}")?;
        }
    }
    Ok(text)
}

/// The text without the member or element at a pointer; unchanged where there is none.
pub fn remove(text: &str, pointer: &str) -> Result<String, EditError> {
    let Some(item) = find(text, pointer)? else {
        return Ok(text.to_owned());
    };
    let parent = match pointer.rsplit_once('/') {
        Some(("", _)) | None => root(text)?,
        Some((parent, _)) => {
            find(text, parent)?
                .ok_or_else(|| EditError::Nowhere(parent.to_owned()))?
                .value
        }
    };
    let siblings = items(text, &parent)?;
    let index = siblings
        .iter()
        .position(|other| other.whole == item.whole)
        .unwrap_or(0);
    let (start, end) = if let Some(next) = siblings.get(index + 1) {
        (item.whole.start, next.whole.start)
    } else if index > 0 {
        (siblings[index - 1].whole.end, item.whole.end)
    } else {
        (item.whole.start, item.whole.end)
    };
    Ok(format!("{}{}", &text[..start], &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = "{ \"amount\" : 49900,\n  \"to\": {\"iban\": \"DE\\\"1\", \"x/y\": [1, 2.50, 3]}, \"note\": null }";

    #[test]
    fn a_set_value_touches_only_its_own_bytes() {
        assert_eq!(
            set(BODY, "/amount", "49901").unwrap(),
            BODY.replace("49900", "49901")
        );
        assert_eq!(
            set(BODY, "/to/x~1y/1", "7").unwrap(),
            BODY.replace("2.50", "7")
        );
    }

    #[test]
    fn a_new_member_is_added_at_the_end_of_its_object() {
        assert_eq!(set("{}", "/ref", "\"r\"").unwrap(), "{\"ref\":\"r\"}");
        assert_eq!(
            set("{\"a\":1 }", "/ref", "2").unwrap(),
            "{\"a\":1,\"ref\":2 }"
        );
        assert_eq!(set("{\"a\":[1]}", "/a/-", "2").unwrap(), "{\"a\":[1,2]}");
        assert_eq!(set("{ }", "/a~1b~0c", "2").unwrap(), "{\"a/b~c\":2 }");
        assert_eq!(set("{\"a~\":-1}", "/a~0", "2").unwrap(), "{\"a~\":2}");
        assert_eq!(
            set(r#"{"a":"\\","b":1}"#, "/b", "2").unwrap(),
            r#"{"a":"\\","b":2}"#
        );
        let many = format!("[{}1]", "{},".repeat(200));
        assert_eq!(set(&many, "/200", "2").unwrap(), many.replace('1', "2"));
        assert_eq!(
            set("{\"a\":{}}", "/b/c", "2"),
            Err(EditError::Nowhere("/b".into()))
        );
    }

    #[test]
    fn the_objects_that_lead_to_a_member_are_made_and_nothing_that_is_there_is_changed() {
        let made = |text, pointer| with_parents(text, pointer);
        assert_eq!(
            made("{\"a\":1}", "/v/input/key").unwrap(),
            "{\"a\":1,\"v\":{\"input\":{}}}"
        );
        assert_eq!(
            made("{\"v\": {\"b\":1}}", "/v/input/key").unwrap(),
            "{\"v\": {\"b\":1,\"input\":{}}}"
        );
        for (text, pointer) in [(BODY, "/amount"), (BODY, "/to/iban"), ("{}", "/key")] {
            assert_eq!(made(text, pointer).unwrap(), text);
        }
        // what is no object has no members, and stays what it is
        for text in ["[]", "[1]", "{\"v\":1}", "7"] {
            assert!(made(text, "/v/input/key").is_err(), "{text}");
        }
    }

    #[test]
    fn a_removed_member_takes_its_comma_along() {
        assert_eq!(remove("{\"a\":1,\"b\":2}", "/a").unwrap(), "{\"b\":2}");
        assert_eq!(remove("{\"a\":1,\"b\":2}", "/b").unwrap(), "{\"a\":1}");
        assert_eq!(remove("{\"a\":1}", "/a").unwrap(), "{}");
        assert_eq!(remove("{\"a\":1}", "/z").unwrap(), "{\"a\":1}");
    }

    #[test]
    fn what_is_no_json_is_said_and_never_a_panic() {
        for text in ["", "{", "{\"a\":}", "[1,", "{\"a\" 1}", "nope{", "\"\\"] {
            assert!(set(text, "/a", "1").is_err(), "{text:?}");
        }
        let deep = format!("{}1{}", "[".repeat(5000), "]".repeat(5000));
        assert!(find(&deep, "/0").is_err());
    }

    proptest::proptest! {
        #[test]
        fn setting_agrees_with_a_json_parser(amount in proptest::prelude::any::<i64>(), pad in "[ \n\t]{0,3}") {
            let text = format!("{{{pad}\"b\":[1,{{\"c\":\"x\"}}]{pad},{pad}\"a\":{pad}0{pad}}}");
            for pointer in ["/a", "/b/0", "/b/1/c", "/new"] {
                let edited = set(&text, pointer, &amount.to_string()).unwrap();
                let value: serde_json::Value = serde_json::from_str(&edited).unwrap();
                proptest::prop_assert_eq!(value.pointer(pointer), Some(&serde_json::json!(amount)));
            }
        }
    }
}
