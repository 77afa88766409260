//! Texts that came from outside, made safe to show, and small forms of long ones.
//! It must not know which format shows them.

use std::fmt::Write as _;

/// Whether a character may change how its surroundings are shown, or cannot be shown at all.
#[must_use]
pub fn is_hostile(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{061c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
        // noncharacters: not allowed in XML, and never meant for a reader
        || (u32::from(c) & 0xfffe) == 0xfffe
        || matches!(c, '\u{fdd0}'..='\u{fdef}')
}

/// The text on one line: control characters, bidirectional overrides and the like as escapes.
#[must_use]
pub fn line(text: &str) -> String {
    escape(text, |_| false)
}

/// The text with its line breaks: everything else that is hostile as escapes.
#[must_use]
pub fn lines(text: &str) -> String {
    escape(&text.replace("\r\n", "\n"), |c| c == '\n')
}

fn escape(text: &str, keep: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if keep(c) => out.push(c),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_hostile(c) => {
                // writing to a String cannot fail
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// Lines that no pipeline takes for its own commands: `::error::` at the beginning of a line, the old `##[error]` anywhere.
#[must_use]
pub fn without_commands(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let body = line.trim_start();
        if body.starts_with("::") {
            out.push_str(&line[..line.len() - body.len()]);
            out.push('\\');
            out.push_str(body);
        } else {
            out.push_str(line);
        }
    }
    out.replace("##[", "##\\[")
}

/// The text on one line, at most `most` characters, the end cut.
#[must_use]
pub fn short(text: &str, most: usize) -> String {
    let text = line(text);
    if text.chars().count() <= most {
        return text;
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{kept}\u{2026}")
}

/// A key or an identity in a few characters, the middle cut: both ends tell keys apart.
#[must_use]
pub fn abridged(text: &str) -> String {
    let text = line(text);
    let chars: Vec<char> = text.chars().collect();
    if chars.len() <= 14 {
        return text;
    }
    let head: String = chars[..6].iter().collect();
    let tail: String = chars[chars.len() - 4..].iter().collect();
    format!("{head}\u{2026}{tail}")
}

/// Microseconds as milliseconds with one digit.
#[must_use]
pub fn millis(micros: u64) -> String {
    format!("{}.{}", micros / 1000, micros % 1000 / 100)
}

/// A number with its noun: `1 request`, `3 requests`.
#[must_use]
pub fn counted(number: u64, noun: &str) -> String {
    if number == 1 {
        format!("1 {noun}")
    } else {
        format!("{number} {noun}s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_steer_a_terminal_is_shown_instead_of_sent() {
        let shown = line("a\u{1b}[31mred\u{7}\r\nb\u{0}\u{9b}c");
        assert_eq!(shown, "a\\u{1b}[31mred\\u{7}\\r\\nb\\u{0}\\u{9b}c");
    }

    #[test]
    fn what_could_turn_the_reading_direction_is_shown() {
        assert_eq!(line("pay\u{202e}gpj"), "pay\\u{202e}gpj");
        assert_eq!(
            line("a\u{2066}b\u{200f}c\u{feff}"),
            "a\\u{2066}b\\u{200f}c\\u{feff}"
        );
    }

    #[test]
    fn a_line_that_a_pipeline_would_obey_is_text() {
        let text = without_commands("a ::b::\n  ::error file=x::y\n::set-output\nx ##[error]z\n");
        assert_eq!(
            text,
            "a ::b::\n  \\::error file=x::y\n\\::set-output\nx ##\\[error]z\n"
        );
    }

    #[test]
    fn ordinary_text_of_any_script_stays() {
        for text in ["Zahlung über 5 €", "支払い", "платёж", "دفع"] {
            assert_eq!(line(text), text);
        }
    }

    #[test]
    fn keys_keep_both_ends() {
        assert_eq!(
            abridged("0b4e5f3c-1111-4222-8333-0123456791c2"),
            "0b4e5f\u{2026}91c2"
        );
        assert_eq!(abridged("short-key"), "short-key");
    }
}
