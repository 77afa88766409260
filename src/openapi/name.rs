//! Names of operations and placeholders: plain, short, and each only once.
//! It must not know what is named.

use std::collections::BTreeMap;

/// Names that were given already.
#[derive(Default)]
pub struct Names(BTreeMap<String, usize>);

/// Longer names do not fit into a report.
const LONGEST: usize = 60;

impl Names {
    /// A name like this one that nothing else has.
    pub fn give(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        while self.0.contains_key(&name) {
            let n = self.0.entry(wanted.to_owned()).or_insert(1);
            *n += 1;
            name = format!("{wanted}-{n}");
        }
        self.0.insert(name.clone(), 1);
        name
    }
}

/// `createPayment` and `POST /payments` as the name of an operation.
pub fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut last_lower = false;
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            if c.is_ascii_uppercase() && last_lower {
                out.push('-');
            }
            last_lower = c.is_ascii_lowercase() || c.is_ascii_digit();
            out.push(c.to_ascii_lowercase());
        } else {
            last_lower = false;
            if !out.is_empty() && !out.ends_with('-') {
                out.push('-');
            }
        }
    }
    out.truncate(LONGEST);
    let out = out.trim_matches('-');
    if out.is_empty() {
        "operation".to_owned()
    } else {
        out.to_owned()
    }
}

/// A name that a placeholder may have, and that none of the tool's own has.
pub fn placeholder(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                '_'
            }
        })
        .collect();
    let taken = [
        "ref",
        "uuid",
        "n",
        "key",
        "wire_key",
        "run",
        "account",
        "account_id",
    ];
    let is_plain = plain.starts_with(|c: char| c.is_ascii_alphabetic());
    if taken.contains(&plain.as_str()) || !is_plain {
        format!("the_{plain}")
    } else {
        plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_and_given_once() {
        assert_eq!(plain("createPayment"), "create-payment");
        assert_eq!(
            plain("post-/payments/{id}/captures"),
            "post-payments-id-captures"
        );
        assert_eq!(plain("§§"), "operation");
        let mut names = Names::default();
        let given: Vec<String> = (0..4).map(|_| names.give("pay")).collect();
        assert_eq!(given, ["pay", "pay-2", "pay-3", "pay-4"]);
        assert_eq!(names.give("pay-2"), "pay-2-2");
        assert_eq!(placeholder("account-id"), "the_account_id");
        assert_eq!(placeholder("1d"), "the_1d");
    }
}
