//! What a set-up makes: where its reply names it, so that a repetition names what it made itself and not what the run made.
//! It must not know what the thing is for.

use serde_json::Value;

use super::document::AttemptRecord;

/// Something that a set-up made and that later requests name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// The attempt that made it.
    pub by: u64,
    /// Its name in the run.
    pub text: String,
    /// The variable that holds the name of a new one.
    pub variable: String,
    /// Whether the program `jq` reads it.
    pub needs_jq: bool,
    /// What reads it out of curl's output, as words for bash.
    reads: Vec<String>,
    /// What curl must be asked for, so that it can be read.
    asks: &'static [&'static str],
}

impl Made {
    /// The request as an assignment of what it makes.
    #[must_use]
    pub fn assigned(&self, words: Vec<String>) -> Vec<String> {
        let mut words: Vec<String> = words.into_iter().filter(|word| word != "-i").collect();
        let asks = self.asks.iter().map(|word| (*word).to_owned());
        words.splice(1..1, asks);
        if let Some(first) = words.first_mut() {
            *first = format!("{}=$({first}", self.variable);
        }
        words.extend(self.reads.iter().cloned());
        if let Some(last) = words.last_mut() {
            last.push(')');
        }
        words
    }
}

/// The things that set-ups made and that later requests name.
#[must_use]
pub fn things(sent: &[&AttemptRecord]) -> Vec<Made> {
    let mut things: Vec<Made> = Vec::new();
    for (at, attempt) in sent.iter().enumerate() {
        if attempt.step != "setup" {
            continue;
        }
        let later = &sent[at + 1..];
        let used = |text: &str| {
            text.len() >= 2
                && later.iter().any(|other| {
                    let body = other.request.body.as_deref().unwrap_or_default();
                    other.request.url.contains(text) || body.contains(text)
                })
        };
        let variable = format!("MADE{}", number(things.len()));
        things.extend(in_body(attempt, &used, &variable).or_else(|| {
            let identity = attempt.identity.as_deref()?;
            in_header(attempt, identity, &used, &variable)
        }));
    }
    things
}

fn number(others: usize) -> String {
    match others {
        0 => String::new(),
        n => (n + 1).to_string(),
    }
}

/// The identity, where a member of a JSON body holds it.
fn in_body(attempt: &AttemptRecord, used: &dyn Fn(&str) -> bool, variable: &str) -> Option<Made> {
    let identity = attempt.identity.as_deref().filter(|text| used(text))?;
    let body: Value = serde_json::from_str(attempt.body.as_deref()?).ok()?;
    let path = path_to(&body, identity)?;
    Some(Made {
        by: attempt.id,
        text: identity.to_owned(),
        variable: variable.to_owned(),
        needs_jq: true,
        reads: ["|", "jq", "-r"]
            .map(str::to_owned)
            .into_iter()
            .chain([super::bash::word(&path)])
            .collect(),
        asks: &[],
    })
}

/// The identity or its last segment, where a header holds it.
fn in_header(
    attempt: &AttemptRecord,
    identity: &str,
    used: &dyn Fn(&str) -> bool,
    variable: &str,
) -> Option<Made> {
    let last = identity.rsplit('/').next().unwrap_or(identity);
    let text = [identity, last].into_iter().find(|text| used(text))?;
    let (name, _) = attempt
        .headers
        .iter()
        .find(|(_, value)| value.as_str() == identity)?;
    // a name of a header is a token: it has no quote
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    if !name.chars().all(plain) {
        return None;
    }
    let cut = if text == identity { "" } else { "; s|.*/||" };
    let program = format!("'s/^{name}: *//I; t found; d; :found; s/\\r$//{cut}'");
    Some(Made {
        by: attempt.id,
        text: text.to_owned(),
        variable: variable.to_owned(),
        needs_jq: false,
        reads: ["|", "sed", "-e"]
            .map(str::to_owned)
            .into_iter()
            .chain([program])
            .collect(),
        asks: &["-o", "/dev/null", "-D", "-"],
    })
}

/// Where a text stands in JSON, as jq writes it.
fn path_to(value: &Value, text: &str) -> Option<String> {
    match value {
        Value::String(own) => (own == text).then(String::new),
        Value::Number(own) => (own.to_string() == text).then(String::new),
        Value::Object(members) => members.iter().find_map(|(name, member)| {
            let rest = path_to(member, text)?;
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            Some(if begins && name.chars().all(plain) {
                format!(".{name}{rest}")
            } else {
                format!(".[{}]{rest}", Value::from(name.as_str()))
            })
        }),
        Value::Array(items) => items.iter().enumerate().find_map(|(at, item)| {
            let rest = path_to(item, text)?;
            Some(format!(".[{at}]{rest}"))
        }),
        Value::Null | Value::Bool(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_is_found_where_the_reply_names_it() {
        let body: Value = serde_json::from_str(r#"{"data":[{"x-id":7},{"id":"pay_1"}]}"#).unwrap();
        assert_eq!(path_to(&body, "pay_1").as_deref(), Some(".data.[1].id"));
        assert_eq!(path_to(&body, "7").as_deref(), Some(".data.[0].[\"x-id\"]"));
        assert_eq!(path_to(&body, "other"), None);
    }

    #[test]
    fn a_request_becomes_an_assignment_of_what_it_makes() {
        let made = Made {
            by: 1,
            text: "pay_1".to_owned(),
            variable: "MADE".to_owned(),
            needs_jq: true,
            reads: ["|", "jq", "-r", ".id"].map(str::to_owned).to_vec(),
            asks: &[],
        };
        let words = ["curl", "-sS", "-i", "http://x/"]
            .map(str::to_owned)
            .to_vec();
        assert_eq!(
            made.assigned(words).join(" "),
            "MADE=$(curl -sS http://x/ | jq -r .id)"
        );
    }
}
