//! How a JSON text is written, apart from what it means: its white space, and the letters of its strings.
//! Must not know what the text means; it is taken to be valid JSON.

/// The spelling of a text.
#[derive(Debug, PartialEq)]
pub(super) struct Spelling {
    /// The white space between tokens.
    pub(super) blanks: String,
    /// Every string as it stands, sorted.
    pub(super) strings: Vec<String>,
}

/// Reads the spelling.
pub(super) fn spelling(text: &str) -> Spelling {
    let mut blanks = String::new();
    let mut strings = Vec::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter == '"' {
            let mut string = String::new();
            while let Some(inner) = letters.next() {
                match inner {
                    '"' => break,
                    '\\' => {
                        string.push(inner);
                        string.extend(letters.next());
                    }
                    _ => string.push(inner),
                }
            }
            strings.push(string);
        } else if letter.is_ascii_whitespace() {
            blanks.push(letter);
        }
    }
    strings.sort();
    Spelling { blanks, strings }
}
