//! Words and lines for bash: texts quoted so that bash hands over the same bytes, names of secrets as variables.
//! It must not know which program gets them.

use super::text::is_hostile;

/// A text for which a variable stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// The text as recorded.
    pub text: String,
    /// The variable's name.
    pub variable: String,
    /// How bash makes a fresh one.
    pub fresh: String,
}

/// A text as one word for bash, secrets' names as variables.
#[must_use]
pub fn word(text: &str) -> String {
    quote(text, &[])
}

/// A text as one word for bash, as it is: what looks like a variable is none.
#[must_use]
pub fn literal(text: &str) -> String {
    if text.is_empty() {
        return "''".to_owned();
    }
    quote_literal(text)
}

/// The names of the variables that stand for secrets in a text.
#[must_use]
pub fn variables(text: &str) -> Vec<String> {
    let names = text.match_indices('$');
    names
        .filter_map(|(at, _)| variable_name(&text[at + 1..]))
        .map(str::to_owned)
        .collect()
}

/// One word for bash: literal parts in quotes where they need them, variables in double quotes.
pub(super) fn quote(text: &str, known: &[Known]) -> String {
    if text.is_empty() {
        return "''".to_owned();
    }
    let mut word = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (literal, variable, tail) = split(rest, known);
        if !literal.is_empty() {
            word.push_str(&quote_literal(literal));
        }
        if let Some(name) = variable {
            word.push_str("\"$");
            word.push_str(name);
            word.push('"');
        }
        rest = tail;
    }
    word
}

/// The text before the first variable, the variable, and the rest.
fn split<'t>(text: &'t str, known: &'t [Known]) -> (&'t str, Option<&'t str>, &'t str) {
    let known = known.iter().filter_map(|known| {
        let at = text.find(known.text.as_str())?;
        Some((at, at + known.text.len(), known.variable.as_str()))
    });
    let redacted = text.match_indices('$').find_map(|(at, _)| {
        let name = variable_name(&text[at + 1..])?;
        Some((at, at + 1 + name.len(), name))
    });
    // of two that begin together the longer one is meant
    match known
        .chain(redacted)
        .min_by_key(|(at, end, _)| (*at, std::cmp::Reverse(*end)))
    {
        Some((start, end, name)) => (&text[..start], Some(name), &text[end..]),
        None => (text, None, ""),
    }
}

/// The name of the variable that stands in a secret's place: in capitals (`$SHOP_TOKEN_A`), or said in words
/// (`$Authorization_of_a`). Any other text after a dollar sign is the request's own.
fn variable_name(text: &str) -> Option<&str> {
    let of_a_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let end = text.find(|c| !of_a_name(c)).unwrap_or(text.len());
    let name = &text[..end];
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let capitals = !name.contains(|c: char| c.is_ascii_lowercase());
    (begins && (capitals || name.contains("_of_"))).then_some(name)
}

fn quote_literal(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_./:=@%+,-".contains(c);
    if text.chars().all(plain) {
        return text.to_owned();
    }
    if !text.chars().any(|c| is_hostile(c) && c != '\n') {
        return format!("'{}'", text.replace('\'', "'\\''"));
    }
    // what a terminal must not get is written as bytes in bash's own escapes
    let mut word = String::from("$'");
    for c in text.chars() {
        match c {
            '\'' => word.push_str("\\'"),
            '\\' => word.push_str("\\\\"),
            '\n' => word.push_str("\\n"),
            c if is_hostile(c) => {
                let mut buffer = [0; 4];
                for byte in c.encode_utf8(&mut buffer).bytes() {
                    word.push_str(&format!("\\x{byte:02x}"));
                }
            }
            c => word.push(c),
        }
    }
    word.push('\'');
    word
}

/// The command on lines of at most `width` columns where its words allow it, continued by backslashes.
#[must_use]
pub fn fold(words: &[String], width: usize) -> String {
    let mut out = String::new();
    let mut column = 0;
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        // an option stays with its value
        let mut piece = word.clone();
        if matches!(word.as_str(), "-X" | "-H" | "--data-raw")
            && let Some(value) = words.next()
        {
            piece.push(' ');
            piece.push_str(value);
        }
        let length = piece.chars().count();
        // two columns are kept for the backslash
        if column > 0 && column + 1 + length + 2 > width {
            out.push_str(" \\\n  ");
            column = 2;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(&piece);
        column += length;
    }
    out
}
