//! The same body in other bytes: members reordered, white space, `1.0` for `1`, escapes.
//! It must not know whether a policy takes the result for the same request.

use super::json_text::{self, Place};
use crate::config::suite::Written;

/// A JSON text written otherwise; `Err` says what the body lacks for it.
pub fn rewrite(text: &str, written: Written, ignored: Option<&str>) -> Result<String, String> {
    let root = json_text::root(text).map_err(|error| error.to_string())?;
    match written {
        Written::MembersReordered => {
            let items = json_text::items(text, &root).map_err(|error| error.to_string())?;
            if text.as_bytes()[root.start] != b'{' || items.len() < 2 {
                return Err("the body has no object of two members or more".to_owned());
            }
            Ok(reversed(text, &root, &items))
        }
        Written::ArrayReordered => {
            let (place, items) = first_array(text, &root)
                .ok_or("the body has no array that another order changes")?;
            Ok(reversed(text, &place, &items))
        }
        Written::Whitespace => Ok(spaced(text)),
        Written::NumberForm => {
            let place = first_leaf(text, &root, &|value| value.parse::<i64>().is_ok())
                .ok_or("the body has no integer")?;
            Ok(format!("{}.0{}", &text[..place.end], &text[place.end..]))
        }
        Written::UnicodeEscapes => {
            let is_letter = |value: &str| {
                value.starts_with('"') && value[1..].starts_with(|c: char| c.is_ascii_alphabetic())
            };
            let place = first_leaf(text, &root, &is_letter)
                .ok_or("the body has no text that begins with a letter")?;
            let at = place.start + 1;
            let letter = text.as_bytes()[at];
            Ok(format!("{}\\u{letter:04x}{}", &text[..at], &text[at + 1..]))
        }
        Written::NullMember => member(text, "doubletap_null", "null"),
        Written::AddedMember => member(text, "doubletap_added", "\"1\""),
        Written::IgnoredMember => {
            let pointer = ignored.ok_or("the policy's fingerprint ignores no member")?;
            json_text::set(text, pointer, "\"doubletap-other\"").map_err(|error| error.to_string())
        }
    }
}

fn member(text: &str, name: &str, value: &str) -> Result<String, String> {
    json_text::set(text, &format!("/{name}"), value)
        .map_err(|_| "the body is no JSON object".to_owned())
}

fn reversed(text: &str, place: &Place, items: &[json_text::Item]) -> String {
    let all: Vec<&str> = items
        .iter()
        .rev()
        .map(|item| &text[item.whole.clone()])
        .collect();
    format!(
        "{}{}{}",
        &text[..=place.start],
        all.join(","),
        &text[place.end - 1..]
    )
}

fn first_array(text: &str, place: &Place) -> Option<(Place, Vec<json_text::Item>)> {
    let items = json_text::items(text, place).ok()?;
    if text.as_bytes()[place.start] == b'[' {
        let values = || items.iter().map(|item| &text[item.value.clone()]);
        // [1,2,1] reversed is itself: the same bytes would be sent as another body
        if !values().eq(values().rev()) {
            return Some((place.clone(), items));
        }
    }
    items.iter().find_map(|item| first_array(text, &item.value))
}

fn first_leaf(text: &str, place: &Place, fits: &dyn Fn(&str) -> bool) -> Option<Place> {
    if matches!(text.as_bytes()[place.start], b'{' | b'[') {
        return json_text::items(text, place)
            .ok()?
            .iter()
            .find_map(|item| first_leaf(text, &item.value, fits));
    }
    fits(&text[place.clone()]).then(|| place.clone())
}

/// A space after every colon and comma outside of strings, and a line break at the end.
fn spaced(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let (mut inside, mut escaped) = (false, false);
    for c in text.chars() {
        out.push(c);
        if inside {
            inside = escaped || c != '"';
            escaped = !escaped && c == '\\';
        } else if c == '"' {
            inside = true;
        } else if matches!(c, ':' | ',' | '{' | '[') {
            out.push_str(if c == ',' { "\n  " } else { "  " });
        }
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = r#"{"amount":49900,"currency":"EUR","lines":[{"sku":"a"},{"sku":"b"}],"big":12345678901234567890123}"#;

    #[test]
    fn the_same_meaning_in_other_bytes() {
        let value: serde_json::Value = serde_json::from_str(BODY).unwrap();
        for written in [
            Written::MembersReordered,
            Written::Whitespace,
            Written::UnicodeEscapes,
        ] {
            let text = rewrite(BODY, written, None).unwrap();
            assert_ne!(text, BODY, "{written:?}");
            assert_eq!(
                serde_json::from_str::<serde_json::Value>(&text).unwrap(),
                value,
                "{written:?}"
            );
            assert!(
                text.contains("12345678901234567890123"),
                "{written:?} rounded a number"
            );
        }
    }

    #[test]
    fn differences_that_servers_disagree_about() {
        assert!(
            rewrite(BODY, Written::NumberForm, None)
                .unwrap()
                .contains("49900.0")
        );
        assert!(
            rewrite(BODY, Written::ArrayReordered, None)
                .unwrap()
                .contains(r#"[{"sku":"b"},{"sku":"a"}]"#)
        );
        assert!(
            rewrite(BODY, Written::NullMember, None)
                .unwrap()
                .ends_with(r#","doubletap_null":null}"#)
        );
        assert!(
            rewrite(BODY, Written::AddedMember, None)
                .unwrap()
                .ends_with(r#","doubletap_added":"1"}"#)
        );
        assert!(
            rewrite(BODY, Written::IgnoredMember, Some("/currency"))
                .unwrap()
                .contains("doubletap-other")
        );
    }

    #[test]
    fn white_space_stands_between_tokens_and_never_inside_of_a_text() {
        let text = r#"{"a,b":"x\":{,","c":["\\",[2]]}"#;
        let spaced = "{  \"a,b\":  \"x\\\":{,\",\n  \"c\":  [  \"\\\\\",\n  [  2]]}\n";
        assert_eq!(rewrite(text, Written::Whitespace, None).unwrap(), spaced);
    }

    #[test]
    fn the_first_value_that_can_be_written_otherwise_is() {
        for (text, written, other) in [
            (
                r#"{"a":1,"b":2}"#,
                Written::MembersReordered,
                r#"{"b":2,"a":1}"#,
            ),
            (
                r#"{"a":"7","b":[true,7],"c":8}"#,
                Written::NumberForm,
                r#"{"a":"7","b":[true,7.0],"c":8}"#,
            ),
            (
                r#"{"a":true,"b":"1x","c":"yz"}"#,
                Written::UnicodeEscapes,
                r#"{"a":true,"b":"1x","c":"\u0079z"}"#,
            ),
            // reversed, the first is the same bytes again
            (
                r#"{"a":[1,2,1],"b":[1,1,2]}"#,
                Written::ArrayReordered,
                r#"{"a":[1,2,1],"b":[2,1,1]}"#,
            ),
            (r#"[[1,2],[1,2]]"#, Written::ArrayReordered, "[[2,1],[1,2]]"),
        ] {
            assert_eq!(rewrite(text, written, None).as_deref(), Ok(other));
        }
    }

    #[test]
    fn what_the_body_lacks_is_said() {
        for (body, written, lacks) in [
            (r#"{"a":"x"}"#, Written::MembersReordered, "two members"),
            ("[1,2]", Written::MembersReordered, "two members"),
            (r#"{"a":"x"}"#, Written::NumberForm, "no integer"),
            (r#"{"a":[1,1]}"#, Written::ArrayReordered, "no array"),
            (
                r#"{"a":["x","y","x"],"b":[]}"#,
                Written::ArrayReordered,
                "no array",
            ),
            (
                r#"{"a":1}"#,
                Written::UnicodeEscapes,
                "begins with a letter",
            ),
            ("[1]", Written::AddedMember, "no JSON object"),
            (r#"{"a":1}"#, Written::IgnoredMember, "ignores no member"),
            ("nonsense", Written::Whitespace, "no JSON"),
        ] {
            let why = rewrite(body, written, None).unwrap_err();
            assert!(why.contains(lacks), "{body} {written:?}: {why}");
        }
    }
}
