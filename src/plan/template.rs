//! Placeholders: `{{ref}}`, `{{uuid}}`, `{{n}}`, `{{key}}`, `{{account.NAME}}` and the fields of set-ups.
//! It must not know where a template stands; the caller says how values are escaped there.

use std::collections::BTreeMap;

use super::intent::Intent;
use crate::config::target::Account;

/// What placeholders stand for in one request.
#[derive(Clone, Debug, Default)]
pub struct Values {
    named: BTreeMap<String, String>,
}

/// A placeholder without a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("nothing fills `{{{{{0}}}}}`")]
pub struct Missing(pub String);

impl Values {
    /// The values of a request: of its account, and of its intent where it has one.
    #[must_use]
    pub fn of(run: &str, account: &Account, intent: Option<&Intent>) -> Self {
        let mut named = BTreeMap::new();
        named.insert("run".to_owned(), run.to_owned());
        named.insert("account".to_owned(), account.name.clone());
        if let Some(id) = &account.id {
            named.insert("account_id".to_owned(), id.clone());
        }
        for (name, value) in &account.values {
            named.insert(format!("account.{name}"), value.clone());
        }
        if let Some(intent) = intent {
            named.extend(intent.captured.clone());
            named.insert("ref".to_owned(), intent.reference.clone());
            named.insert("uuid".to_owned(), intent.uuid.clone());
            named.insert("n".to_owned(), intent.n.to_string());
            named.insert("key".to_owned(), intent.key.clone().unwrap_or_default());
            let wire = intent
                .lines
                .first()
                .map(|line| String::from_utf8_lossy(line).into_owned());
            named.insert("wire_key".to_owned(), wire.unwrap_or_default());
        }
        Self { named }
    }

    /// The values of a request that belongs to no intent and carries nothing out: what an intent would fill is made up.
    #[must_use]
    pub fn of_none(run: &str, account: &Account) -> Self {
        let mut values = Self::of(run, account, None);
        for name in ["ref", "uuid", "n", "key", "wire_key"] {
            values.named.insert(name.to_owned(), "0".to_owned());
        }
        values
    }

    /// The value of a placeholder.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.named.get(name).map(String::as_str)
    }
}

/// The names of the placeholders in a text, in order.
#[must_use]
pub fn names(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("{{") {
        let Some((name, tail)) = after.split_once("}}") else {
            break;
        };
        names.push(name.trim().to_owned());
        rest = tail;
    }
    names
}

/// A text with its placeholders filled, every value passed through `escape`.
pub fn render_with(
    text: &str,
    values: &Values,
    escape: impl Fn(&str) -> String,
) -> Result<String, Missing> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, tail)) = after.split_once("}}") else {
            break;
        };
        let value = values
            .get(name.trim())
            .ok_or_else(|| Missing(name.trim().to_owned()))?;
        out.push_str(before);
        out.push_str(&escape(value));
        rest = tail;
    }
    out.push_str(rest);
    Ok(out)
}

/// A text with its placeholders filled as they are.
pub fn render(text: &str, values: &Values) -> Result<String, Missing> {
    render_with(text, values, str::to_owned)
}

/// JSON text with its placeholders filled: what a value holds cannot end the string it stands in.
pub fn render_json(text: &str, values: &Values) -> Result<String, Missing> {
    render_with(text, values, |value| {
        let quoted = serde_json::Value::from(value).to_string();
        quoted[1..quoted.len() - 1].to_owned()
    })
}

/// Path and query with their placeholders filled: a value stays one segment or one parameter.
pub fn render_path(text: &str, values: &Values) -> Result<String, Missing> {
    use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
    const KEPT: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'_')
        .remove(b'.')
        .remove(b'~');
    render_with(text, values, |value| {
        utf8_percent_encode(value, KEPT).to_string()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values() -> Values {
        let account = Account {
            oauth: None,
            name: "a".into(),
            id: Some("17".into()),
            same_as: None,
            headers: vec![],
            values: BTreeMap::from([("iban".to_owned(), "DE\"1/2".to_owned())]),
        };
        Values::of("r1", &account, None)
    }

    #[test]
    fn values_are_escaped_for_the_place_they_stand_in() {
        assert_eq!(
            render("x {{ account.iban }} y", &values()).unwrap(),
            "x DE\"1/2 y"
        );
        assert_eq!(
            render_json("{\"a\":\"{{account.iban}}\"}", &values()).unwrap(),
            "{\"a\":\"DE\\\"1/2\"}"
        );
        assert_eq!(
            render_path("/p/{{account.iban}}?a={{run}}", &values()).unwrap(),
            "/p/DE%221%2F2?a=r1"
        );
    }

    #[test]
    fn a_request_knows_its_account_its_intent_and_what_was_set_up() {
        let account = Account {
            oauth: None,
            name: "b".into(),
            id: Some("18".into()),
            same_as: None,
            headers: vec![],
            values: BTreeMap::new(),
        };
        let intent = Intent {
            name: "k".into(),
            key: Some("K".into()),
            lines: vec![b"\"K\"".to_vec()],
            form: crate::contract::WireForm::SfString,
            reference: "dt-r1-7-x".into(),
            uuid: "U".into(),
            n: 7,
            companions: vec![],
            captured: BTreeMap::from([("payment".into(), "pay_1".into())]),
        };
        let text = "{{account}} {{account_id}} {{run}} {{ref}} {{uuid}} {{n}} {{key}} {{wire_key}} {{payment}}";
        let values = Values::of("r1", &account, Some(&intent));
        assert_eq!(
            render(text, &values).unwrap(),
            "b 18 r1 dt-r1-7-x U 7 K \"K\" pay_1"
        );
        let made_up = Values::of_none("r1", &account);
        let text = text.replace(" {{payment}}", "");
        assert_eq!(render(&text, &made_up).unwrap(), "b 18 r1 0 0 0 0 0");
    }

    #[test]
    fn a_placeholder_without_a_value_is_named() {
        assert_eq!(
            render("{{payment}}", &values()),
            Err(Missing("payment".into()))
        );
        assert_eq!(
            render("{{ref}}", &values()).unwrap_err().to_string(),
            "nothing fills `{{ref}}`"
        );
    }

    #[test]
    fn braces_that_open_nothing_stay() {
        assert_eq!(
            render("{\"a\":{\"b\":{}}}", &values()).unwrap(),
            "{\"a\":{\"b\":{}}}"
        );
        assert_eq!(names("{{ref}}-{{ n }} {{"), ["ref", "n"]);
    }
}
