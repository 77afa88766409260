//! `${VAR}` inside texts that are already parsed, so that a value with quotes or line ends stays a value.
//! It must not know where texts stand, nor read the environment itself.

use std::collections::BTreeMap;

/// What a variable gave.
pub type Variables = BTreeMap<String, String>;

/// What can be wrong with a reference to a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpandError {
    /// The variable is not set.
    Unset(String),
    /// `${` without an end, or with something that is no name.
    Malformed(String),
}

/// The text with every `${VAR}` replaced; `$${` stands for `${`. `None` where there is nothing to replace.
pub fn expand(
    text: &str,
    env: &dyn Fn(&str) -> Option<String>,
    used: &mut Variables,
) -> Result<Option<String>, ExpandError> {
    if !text.contains("${") {
        return Ok(None);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        if rest[..at].ends_with('$') {
            out.push_str(&rest[..at - 1]);
            out.push_str("${");
            rest = &rest[at + 2..];
            continue;
        }
        out.push_str(&rest[..at]);
        let after = &rest[at + 2..];
        let end = after
            .find('}')
            .ok_or_else(|| ExpandError::Malformed("${".to_owned()))?;
        let name = &after[..end];
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !is_name {
            return Err(ExpandError::Malformed(format!("${{{name}}}")));
        }
        let value = env(name).ok_or_else(|| ExpandError::Unset(name.to_owned()))?;
        out.push_str(&value);
        used.insert(name.to_owned(), value);
        rest = &after[end + 1..];
    }
    out.push_str(rest);
    Ok(Some(out))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(name: &str) -> Option<String> {
        match name {
            "TOKEN" => Some("a\"\n[x]".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        }
    }

    fn expanded(text: &str) -> Result<Option<String>, ExpandError> {
        expand(text, &env, &mut Variables::new())
    }

    #[test]
    fn variables_are_replaced_by_their_exact_value() {
        assert_eq!(
            expanded("Bearer ${TOKEN}!").unwrap().unwrap(),
            "Bearer a\"\n[x]!"
        );
        assert_eq!(expanded("${EMPTY}${EMPTY}").unwrap().unwrap(), "");
        assert_eq!(expanded("no variables, $5 {x}").unwrap(), None);
    }

    #[test]
    fn two_dollar_signs_keep_the_braces() {
        assert_eq!(
            expanded("$${TOKEN} ${EMPTY}").unwrap().unwrap(),
            "${TOKEN} "
        );
    }

    #[test]
    fn what_is_not_set_or_no_name_is_an_error() {
        assert_eq!(expanded("${NOPE}"), Err(ExpandError::Unset("NOPE".into())));
        assert_eq!(
            expanded("${NO:-x}"),
            Err(ExpandError::Malformed("${NO:-x}".into()))
        );
        assert_eq!(expanded("${NO"), Err(ExpandError::Malformed("${".into())));
    }

    #[test]
    fn a_value_is_not_expanded_again() {
        let env = |_: &str| Some("${OTHER}".to_owned());
        assert_eq!(
            expand("${A}", &env, &mut Variables::new())
                .unwrap()
                .unwrap(),
            "${OTHER}"
        );
    }
}
