//! From the lines of the `Idempotency-Key` header to the bare key, or to the reason why there is none.
//! Must not know where keys are kept.

use sfv::{BareItem, Item, Parser};

use super::store::record::KEY_WIDTH;

/// What the header lines say.
pub(crate) type Reading = Result<Option<String>, Malformed>;

/// Why a key cannot be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Malformed {
    /// Two header lines.
    Twice,
    /// A bare comma, which may be two lines that somebody joined.
    Comma,
    /// Nothing, or blanks.
    Empty,
    /// More than the column takes.
    TooLong,
    /// Characters other than visible ASCII.
    Charset,
    /// It starts with a quote and is no structured-field string.
    Form,
}

impl Malformed {
    /// The text for the client.
    pub(crate) fn detail(self) -> &'static str {
        match self {
            Self::Twice => "the Idempotency-Key header was sent more than once",
            Self::Comma => "a comma in a bare Idempotency-Key looks like two keys; quote it",
            Self::Empty => "the Idempotency-Key is empty",
            Self::TooLong => "the Idempotency-Key is longer than 255 characters",
            Self::Charset => "the Idempotency-Key has characters other than visible ASCII",
            Self::Form => "the quoted Idempotency-Key is no structured-field string",
        }
    }
}

/// Reads the header as it stands in all its lines. A quoted key is a structured-field string and means the same as its bare text.
pub(crate) fn read(lines: &[Vec<u8>]) -> Reading {
    let line = match lines {
        [] => return Ok(None),
        [line] => line.trim_ascii(),
        _ => {
            return Err(Malformed::Twice);
        }
    };
    let key = if line.starts_with(b"\"") {
        unquote(line)?
    } else if line.contains(&b',') {
        return Err(Malformed::Comma);
    } else {
        bare(line)?
    };
    if key.trim().is_empty() {
        return Err(Malformed::Empty);
    }
    if key.chars().count() > KEY_WIDTH {
        return Err(Malformed::TooLong);
    }
    if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(Malformed::Charset);
    }
    Ok(Some(key))
}

/// The text of a bare line.
fn bare(line: &[u8]) -> Result<String, Malformed> {
    String::from_utf8(line.to_vec()).map_err(|_| Malformed::Charset)
}

/// The text inside a structured-field string.
fn unquote(line: &[u8]) -> Result<String, Malformed> {
    match Parser::new(line).parse::<Item>() {
        Ok(Item {
            bare_item: BareItem::String(text),
            ..
        }) => Ok(text.as_str().to_owned()),
        _ => Err(Malformed::Form),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(line: &[u8]) -> Reading {
        read(&[line.to_vec()])
    }

    #[test]
    fn quoted_and_bare_are_the_same_key() {
        assert_eq!(one(b"abc-1"), Ok(Some("abc-1".to_owned())));
        assert_eq!(one(b"\"abc-1\""), Ok(Some("abc-1".to_owned())));
        assert_eq!(one(b"\"a\\\"b\""), Ok(Some("a\"b".to_owned())));
        assert_eq!(read(&[]), Ok(None));
    }

    #[test]
    fn a_key_that_cannot_be_told_apart_is_refused() {
        for line in [
            &b""[..],
            b"  ",
            b"\"\"",
            b"\" \"",
            b"a, b",
            b"\"a\", \"b\"",
            b"\"a",
            b"a b",
            b"a\tb",
            "schl\u{fc}ssel".as_bytes(),
            b"\xff",
            &[b'k'; 256],
        ] {
            assert!(one(line).is_err(), "{}", String::from_utf8_lossy(line));
        }
        assert!(read(&[b"a".to_vec(), b"a".to_vec()]).is_err());
    }

    #[test]
    fn the_longest_and_the_shortest_key_are_taken() {
        assert!(one(&[b'k'; 255]).is_ok());
        assert!(one(b"k").is_ok());
    }
}
