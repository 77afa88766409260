//! `:name` parameters of a SQL statement, found outside of literals, quoted names, comments, casts and dollar quotes.
//! It must not know how a statement is carried out.

/// What a parameter stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// The bare key.
    Key,
    /// The key's bytes as sent.
    WireKey,
    /// The account's `id`.
    Account,
    /// The tool's reference.
    Reference,
    /// The run's id.
    Run,
}

impl Parameter {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "key" => Self::Key,
            "wire_key" => Self::WireKey,
            "account" => Self::Account,
            "ref" => Self::Reference,
            "run" => Self::Run,
            _ => return None,
        })
    }
}

/// A statement with numbered parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The statement with `$1`, `$2`, ...
    pub statement: String,
    /// What each number stands for.
    pub parameters: Vec<Parameter>,
    /// Names that are no parameter of doubletap's (`:order`), where they stand outside of literals.
    pub unknown: Vec<String>,
}

/// Numbers the parameters of a statement. A name used twice keeps its number.
#[must_use]
pub fn bind(statement: &str) -> Bound {
    let bytes = statement.as_bytes();
    let mut bound = Bound {
        statement: String::with_capacity(statement.len()),
        parameters: Vec::new(),
        unknown: Vec::new(),
    };
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            b'\'' => quoted(bytes, at, b'\'', is_escaped(&bytes[..at])),
            b'"' => quoted(bytes, at, b'"', false),
            b'-' if bytes.get(at + 1) == Some(&b'-') => bytes[at..]
                .iter()
                .position(|b| *b == b'\n')
                .map_or(bytes.len(), |n| at + n),
            b'/' if bytes.get(at + 1) == Some(&b'*') => block_comment(bytes, at),
            b'$' => dollar_quoted(statement, at).unwrap_or(at + 1),
            b':' if bytes.get(at + 1) == Some(&b':') => at + 2,
            b':' if bytes
                .get(at + 1)
                .is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_') =>
            {
                let length = bytes[at + 1..]
                    .iter()
                    .take_while(|b| b.is_ascii_alphanumeric() || **b == b'_')
                    .count();
                let name = &statement[at + 1..at + 1 + length];
                if let Some(parameter) = Parameter::named(name) {
                    let known = bound.parameters.iter().position(|p| *p == parameter);
                    let number = known.unwrap_or_else(|| {
                        bound.parameters.push(parameter);
                        bound.parameters.len() - 1
                    });
                    bound.statement.push_str(&format!("${}", number + 1));
                    at += 1 + length;
                    continue;
                }
                bound.unknown.push(name.to_owned());
                at + 1 + length
            }
            _ => {
                let mut end = at + 1;
                while !statement.is_char_boundary(end) {
                    end += 1;
                }
                end
            }
        };
        bound.statement.push_str(&statement[at..end]);
        at = end;
    }
    bound
}

/// Whether the literal after this text is an E'...' one; `LIKE'...'` ends with an E and is none.
fn is_escaped(before: &[u8]) -> bool {
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | 0x80..);
    match before {
        [word @ .., b'e' | b'E'] => !word.last().is_some_and(is_word),
        _ => false,
    }
}

fn quoted(bytes: &[u8], start: usize, quote: u8, escapes: bool) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        if escapes && bytes[at] == b'\\' {
            at += 2;
        } else if bytes[at] == quote {
            if bytes.get(at + 1) == Some(&quote) {
                at += 2;
            } else {
                return at + 1;
            }
        } else {
            at += 1;
        }
    }
    bytes.len()
}

fn block_comment(bytes: &[u8], start: usize) -> usize {
    // PostgreSQL's block comments nest
    let (mut at, mut depth) = (start + 2, 1);
    while at + 1 < bytes.len() && depth > 0 {
        match (bytes[at], bytes[at + 1]) {
            (b'/', b'*') => {
                depth += 1;
                at += 2;
            }
            (b'*', b'/') => {
                depth -= 1;
                at += 2;
            }
            _ => at += 1,
        }
    }
    if depth > 0 { bytes.len() } else { at }
}

fn dollar_quoted(statement: &str, start: usize) -> Option<usize> {
    let rest = &statement[start + 1..];
    let tag_length = rest.find('$')?;
    let tag = &rest[..tag_length];
    let is_tag = tag.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !tag.starts_with(|c: char| c.is_ascii_digit());
    if !is_tag {
        return None;
    }
    let delimiter = &statement[start..start + tag_length + 2];
    let body = start + delimiter.len();
    Some(
        statement[body..]
            .find(delimiter)
            .map_or(statement.len(), |n| body + n + delimiter.len()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_numbered_once_a_name() {
        let bound = bind(
            "SELECT count(*) FROM p WHERE a = :account AND (k = :key OR w = :wire_key OR k2=:key)",
        );
        assert_eq!(
            bound.statement,
            "SELECT count(*) FROM p WHERE a = $1 AND (k = $2 OR w = $3 OR k2=$2)"
        );
        assert_eq!(
            bound.parameters,
            [Parameter::Account, Parameter::Key, Parameter::WireKey]
        );
    }

    #[test]
    fn names_in_literals_comments_casts_and_quotes_are_no_parameters() {
        for text in [
            "SELECT ':key'",
            "SELECT 'it''s :key'",
            "SELECT E'a\\':key'",
            "SELECT \":key\" FROM t",
            "SELECT 1 -- :key\n",
            "SELECT /* :key /* :ref */ :run */ 1",
            "SELECT a::key",
            "SELECT $$ :key $$, $x$ :ref $x$",
            "SELECT 'ü:key'",
            "SELECT ''",
            "SELECT \"a\"\":key\"",
            // a backslash ends nothing but an escape literal, and LIKE is none
            "SELECT e'a\\\\'",
            "SELECT 'a\\'",
            "SELECT * FROM p WHERE a LIKE'\\'",
            "SELECT one_e'\\', éE'\\', a$e'\\'",
            "SELECT 'a''', E'a'''",
            "SELECT /*/**/ :key */ 1, /* /**/*/ 2",
            "SELECT :: a, b: c",
            "SELECT 4-2, 4/2, a->>'b'",
            "SELECT /**/ 1",
            "SELECT /*/ :key */ 1",
            "SELECT /* :key */ 1 /* :ref ** */",
            "SELECT $_b$ $ :key $c$ $_b$, $a1$:ref$a1$",
            "SELECT $1+$2",
            "SELECT a[1:2]",
        ] {
            // and what stands behind them is one
            let bound = bind(&format!("{text} , :run"));
            assert_eq!(bound.statement, format!("{text} , $1"));
            assert_eq!(bound.parameters, [Parameter::Run], "{text}");
            assert!(bound.unknown.is_empty(), "{text}: {bound:?}");
        }
    }

    #[test]
    fn what_is_never_closed_goes_on_to_the_end() {
        for text in [
            "SELECT ':key",
            "SELECT 1 -- :key",
            "SELECT /* :key",
            "SELECT /* :key /* */",
            "SELECT /* *",
            "SELECT /* :key é",
            "SELECT $a$ :key $b$",
            "SELECT E'\\",
        ] {
            let bound = bind(text);
            assert_eq!(bound.statement, text);
            assert!(bound.parameters.is_empty(), "{text}: {bound:?}");
        }
    }

    #[test]
    fn a_parameter_may_be_cast_and_an_unknown_one_is_named() {
        assert_eq!(
            bind("SELECT :key::uuid, :order").statement,
            "SELECT $1::uuid, :order"
        );
        assert_eq!(bind("SELECT :order").unknown, ["order"]);
        let near = bind("SELECT :key_2, :_key, :ref");
        assert_eq!(near.statement, "SELECT :key_2, :_key, $1");
        assert_eq!(near.unknown, ["key_2", "_key"]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_bound_without_panic(text in "[ -~é\n:$'\"/*]{0,60}") {
            let _ = bind(&text);
        }
    }
}
