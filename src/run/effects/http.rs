//! Effects read from a reply: a number, or the elements of a list, at a place in a JSON body, or the elements of an XML body.
//! It must not know how the reply was fetched.

use serde_json::Value;

use crate::contract::place::elements;
use crate::run::shot::RawReply;

/// Where the number stands in a reply.
#[derive(Clone, Debug)]
pub struct Place<'a> {
    /// JSON Pointer to a number or a list; or `xml:/A/B`: the elements at that path.
    pub at: &'a str,
    /// For a list: the field (JSON Pointer) and the text that it must hold.
    pub matching: Option<(&'a str, String)>,
}

/// The number of effects that a reply tells.
pub fn read(reply: &RawReply, place: &Place<'_>) -> Result<i64, String> {
    if !(200..300).contains(&reply.status) {
        return Err(format!("the counter's GET was answered {}", reply.status));
    }
    if reply.truncated {
        return Err("the counter's reply is too long to be read".to_owned());
    }
    if let Some(path) = place.at.strip_prefix("xml:") {
        return xml(&String::from_utf8_lossy(&reply.body), path);
    }
    let body: Value = serde_json::from_slice(&reply.body)
        .map_err(|error| format!("the counter's reply is no JSON: {error}"))?;
    let found = body
        .pointer(place.at)
        .ok_or_else(|| format!("the counter's reply has nothing at `{}`", place.at))?;
    match (found, &place.matching) {
        (Value::Array(elements), None) => length(elements.len()),
        (Value::Array(elements), Some((field, wanted))) => {
            let fits = |element: &&Value| {
                element
                    .pointer(field)
                    .is_some_and(|value| text_of(value) == *wanted)
            };
            length(elements.iter().filter(fits).count())
        }
        (Value::Number(number), None) => number
            .as_i64()
            .ok_or_else(|| format!("the counter's number {number} is no whole number")),
        (Value::Number(_), Some(_)) => Err(format!(
            "the counter wants a list at `{}` to match elements; a number stands there",
            place.at
        )),
        (other, _) => Err(format!(
            "the counter wants a number or a list at `{}`; there stands {}",
            place.at,
            kind(other)
        )),
    }
}

/// How many elements stand at a path. A list without elements is none; a body of another kind is no count.
fn xml(body: &str, path: &str) -> Result<i64, String> {
    let root = path.split('/').find(|name| !name.is_empty());
    if elements(body, &format!("/{}", root.unwrap_or_default())).is_empty() {
        return Err(format!(
            "the counter's reply is no XML with `{}` at its root",
            root.unwrap_or_default()
        ));
    }
    length(elements(body, path).len())
}

fn length(count: usize) -> Result<i64, String> {
    i64::try_from(count).map_err(|error| error.to_string())
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(body: &str, at: &str, matching: Option<(&str, &str)>) -> Result<i64, String> {
        let reply = RawReply {
            status: 200,
            headers: vec![],
            body: body.to_owned().into(),
            truncated: false,
        };
        let matching = matching.map(|(field, text)| (field, text.to_owned()));
        read(&reply, &Place { at, matching })
    }

    #[test]
    fn numbers_lists_and_matching_elements_are_counted() {
        assert_eq!(count("{\"count\":3}", "/count", None), Ok(3));
        assert_eq!(count("[1,2]", "", None), Ok(2));
        let list = "{\"data\":[{\"ref\":\"x\"},{\"ref\":\"y\"},{\"ref\":\"x\"},{}]}";
        assert_eq!(count(list, "/data", Some(("/ref", "x"))), Ok(2));
        assert_eq!(count("[{\"n\":7}]", "", Some(("/n", "7"))), Ok(1));
    }

    #[test]
    fn elements_of_xml_are_counted_and_another_answer_is_no_count() {
        let list = "<?xml version=\"1.0\"?><R xmlns=\"urn:x\"><set><item><id>i-1</id></item><item><id>i-2</id></item></set></R>";
        assert_eq!(count(list, "xml:/R/set/item/id", None), Ok(2));
        assert_eq!(count("<R><set/></R>", "xml:/R/set/item", None), Ok(0));
        for body in ["<Error><Code>x</Code></Error>", "{}", "<R><set><item>"] {
            let error = count(body, "xml:/R/set/item", None).unwrap_err();
            assert!(error.contains("no XML with `R`"), "{error}");
        }
    }

    #[test]
    fn what_is_no_count_is_an_error_and_never_zero() {
        for (body, at, words) in [
            ("{}", "/count", "nothing at `/count`"),
            ("{\"count\":\"3\"}", "/count", "a text"),
            ("{\"count\":1.5}", "/count", "no whole number"),
            ("<html>", "", "no JSON"),
        ] {
            let error = count(body, at, None).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
        assert!(count("3", "", Some(("/n", "7"))).is_err());
    }
}
