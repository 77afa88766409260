//! Values as a target file writes them.
//! It must not know what they are for.

use serde_json::Value;

/// Longer tables are no easier to read than JSON.
const INLINE: usize = 160;

/// A JSON body: a table where TOML can say it and it is short, else the text.
pub fn json(value: &Value) -> String {
    match inline(value).filter(|table| value.is_object() && table.len() <= INLINE) {
        Some(table) => table,
        None => literal(&value.to_string()),
    }
}

/// `None` where TOML has no such value.
pub fn inline(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => {
            if number.as_i64().is_none() && !number.is_f64() {
                return None;
            }
            number.to_string()
        }
        Value::String(value) => literal(value),
        Value::Array(items) => {
            let items: Option<Vec<String>> = items.iter().map(inline).collect();
            format!("[{}]", items?.join(", "))
        }
        Value::Object(members) => {
            let members: Option<Vec<String>> = members
                .iter()
                .map(|(name, value)| Some(format!("{} = {}", key(name), inline(value)?)))
                .collect();
            let members = members?;
            if members.is_empty() {
                "{}".to_owned()
            } else {
                format!("{{ {} }}", members.join(", "))
            }
        }
    })
}

/// An example's text: what would be a variable or a placeholder in a target is none there.
pub fn literal(example: &str) -> String {
    text(&example.replace("${", "$ {").replace("{{", "{ {"))
}

/// A text in TOML's quotes, on one line.
pub fn text(text: &str) -> String {
    let is_plain = !text.contains(['\'', '\u{7f}']) && !text.chars().any(char::is_control);
    if is_plain && text.contains(['"', '\\']) {
        return format!("'{text}'");
    }
    // TOML's basic strings are JSON's, but for one character
    Value::from(text).to_string().replace('\u{7f}', "\\u007F")
}

/// A name, in quotes where it needs them.
pub fn key(name: &str) -> String {
    let plain = !name.is_empty()
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    if plain { name.to_owned() } else { text(name) }
}

/// `{ a = 1, b = 2 }` of names and values that are written already.
pub fn table(pairs: impl Iterator<Item = (String, String)>) -> String {
    let pairs: Vec<String> = pairs
        .map(|(name, value)| format!("{} = {value}", key(&name)))
        .collect();
    format!("{{ {} }}", pairs.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_comes_back_as_it_was() {
        for example in [
            "plain",
            "it's \"both\"",
            "a\nb\r\t\u{7f}\u{1}",
            "back\\slash",
            "ümläut 💸",
            "'",
        ] {
            let line = format!("{} = {}", key(example), text(example));
            let read: ::toml::Table = line.parse().unwrap();
            assert_eq!(read[example].as_str(), Some(example), "{line}");
            assert!(!line.contains('\n'), "{line}");
        }
        assert_eq!(literal("Dear {{name}}, ${x}"), "\"Dear { {name}}, $ {x}\"");
    }
}
