//! Text read as whoever shows it would: percent signs, entities of HTML and backslash escapes become the characters that they
//! stand for, and every one of them knows where it was written.
//! It must not know what is looked for in it.

/// A text as it is read, with where each of its bytes comes from.
pub struct Spelled {
    /// As it is read.
    pub text: String,
    /// Where each byte of it begins in what was written; one more for the end.
    from: Vec<usize>,
}

impl Spelled {
    /// Reads a text; `None` where nothing in it stands for something else.
    #[must_use]
    pub fn read(written: &str) -> Option<Self> {
        if !written.contains(['%', '&', '\\']) {
            return None;
        }
        let mut read = Self {
            text: String::with_capacity(written.len()),
            from: Vec::with_capacity(written.len() + 1),
        };
        let (mut at, mut stands) = (0, false);
        while let Some(c) = written[at..].chars().next() {
            let rest = &written[at..];
            let meant = match c {
                '%' => percent(rest),
                '&' => entity(rest),
                '\\' => backslash(rest),
                _ => None,
            };
            let (character, length) = match meant {
                Some(meant) => {
                    stands = true;
                    meant
                }
                None => (c, c.len_utf8()),
            };
            read.text.push(character);
            read.from.resize(read.text.len(), at);
            at += length;
        }
        read.from.push(at);
        stands.then_some(read)
    }

    /// Where a part of the text was written.
    #[must_use]
    pub fn written(&self, start: usize, end: usize) -> std::ops::Range<usize> {
        self.from[start]..self.from[end]
    }
}

/// One character of bytes as `%C3%A9`, and how long it is written.
fn percent(text: &str) -> Option<(char, usize)> {
    let mut bytes = Vec::with_capacity(4);
    // a character has at most four bytes
    for n in 0..4 {
        let hex = text.get(3 * n..3 * n + 3)?.strip_prefix('%')?;
        bytes.push(byte(hex)?);
        if let Ok(read) = std::str::from_utf8(&bytes) {
            return read.chars().next().map(|c| (c, 3 * (n + 1)));
        }
    }
    None
}

/// `&#115;`, `&#x73;` (the semicolon may be missing) or one of the five names that every encoder knows.
fn entity(text: &str) -> Option<(char, usize)> {
    const NAMES: [(&str, char); 5] = [
        ("&amp;", '&'),
        ("&lt;", '<'),
        ("&gt;", '>'),
        ("&quot;", '"'),
        ("&apos;", '\''),
    ];
    if let Some((name, c)) = NAMES.iter().find(|(name, _)| text.starts_with(name)) {
        return Some((*c, name.len()));
    }
    let number = text.strip_prefix("&#")?;
    let (digits, radix) = match number.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    let count = digits
        .bytes()
        .take(8)
        .take_while(|byte| char::from(*byte).is_digit(radix))
        .count();
    let code = u32::from_str_radix(digits.get(..count)?, radix).ok()?;
    let before = text.len() - digits.len();
    let semicolon = usize::from(digits[count..].starts_with(';'));
    Some((char::from_u32(code)?, before + count + semicolon))
}

/// `\x73` or `\u0073`.
fn backslash(text: &str) -> Option<(char, usize)> {
    if let Some(hex) = text.strip_prefix("\\x") {
        let byte = byte(hex.get(..2)?)?;
        return byte.is_ascii().then(|| (char::from(byte), 4));
    }
    let hex = text.strip_prefix("\\u")?.get(..4)?;
    let is_hex = hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    let code = u32::from_str_radix(hex, 16).ok().filter(|_| is_hex)?;
    Some((char::from_u32(code)?, 6))
}

fn byte(hex: &str) -> Option<u8> {
    let is_hex = hex.len() == 2 && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    u8::from_str_radix(hex, 16).ok().filter(|_| is_hex)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        Spelled::read(text).map(|spelled| spelled.text)
    }

    #[test]
    fn what_stands_for_something_else_is_read() {
        for (written, meant) in [
            ("a%62%C3%a9", "abé"),
            ("a&#98;&#x63;&#100 &amp;&quot;", "abcd &\""),
            (r"\x61\u0062", "ab"),
            (
                "50% off &c. %zz %C3( &#; \\u00 %41",
                "50% off &c. %zz %C3( &#; \\u00 A",
            ),
        ] {
            assert_eq!(read(written).as_deref(), Some(meant), "{written}");
        }
        assert_eq!(read("50% & more"), None);
    }

    #[test]
    fn every_part_knows_where_it_was_written() {
        let written = "x=%C3%A9&#98;c;";
        let spelled = Spelled::read(written).unwrap();
        let start = spelled.text.find("éb").unwrap();
        let range = spelled.written(start, start + "éb".len());
        assert_eq!(&written[range], "%C3%A9&#98;");
        assert_eq!(spelled.written(0, spelled.text.len()), 0..written.len());
    }
}
