//! Hides what looks like a credential in a quoted line, byte for byte, so that carets stay where they are.
//! It must not know which values are secrets: it goes by how credentials are written.

const NAMES: [&str; 12] = [
    "authorization",
    "cookie",
    "x-api-key",
    "api-key",
    "api_key",
    "apikey",
    "password",
    "passwd",
    "pgpassword",
    "secret",
    "token",
    "access-token",
];
const SCHEMES: [&str; 4] = ["bearer ", "basic ", "token ", "digest "];
const PREFIXES: [&str; 8] = [
    "sk_live_",
    "rk_live_",
    "pk_live_",
    "sk_test_",
    "rk_test_",
    "rzp_live_",
    "rzp_test_",
    "whsec_",
];

/// A copy of the text, as long as the text, with credentials replaced by asterisks. `${VARIABLES}` stay readable.
pub fn mask(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let mut bytes = text.as_bytes().to_vec();
    for name in NAMES {
        for (at, _) in lower.match_indices(name) {
            // `${TOKEN` is a variable's name
            if lower[..at].ends_with("${") {
                continue;
            }
            if let Some(value) = assigned(&lower, at + name.len()) {
                hide(&mut bytes, text, value);
            }
        }
    }
    for scheme in SCHEMES {
        for (at, _) in lower.match_indices(scheme) {
            hide(&mut bytes, text, word(&lower, at + scheme.len()));
        }
    }
    for prefix in PREFIXES {
        for (at, _) in lower.match_indices(prefix) {
            hide(&mut bytes, text, word(&lower, at + prefix.len()));
        }
    }
    for (at, _) in lower.match_indices("://") {
        let start = at + 3;
        let authority = &lower[start..];
        let end = authority
            .find(|c: char| c == '/' || c == '"' || c == '\'' || c.is_whitespace())
            .unwrap_or(authority.len());
        if let Some(sign) = authority[..end].rfind('@')
            && let Some(colon) = authority[..sign].find(':')
        {
            hide(&mut bytes, text, start + colon + 1..start + sign);
        }
    }
    // only whole characters were replaced, each byte by an ASCII one
    String::from_utf8(bytes).unwrap_or_default()
}

/// The value after `name = "`, `"name": "`, `name: ` or `name=`, up to its end.
fn assigned(text: &str, after: usize) -> Option<std::ops::Range<usize>> {
    let rest = &text[after..];
    let sign = rest.trim_start_matches(['"', '\'']).trim_start_matches(' ');
    let value = sign.strip_prefix(['=', ':'])?.trim_start_matches(' ');
    let start = text.len() - value.len();
    let (start, end) = match value.as_bytes().first() {
        Some(quote @ (b'"' | b'\'')) => {
            let inner = &value[1..];
            let end = inner
                .find(*quote as char)
                .unwrap_or_else(|| line_end(inner));
            (start + 1, start + 1 + end)
        }
        _ => (
            start,
            start
                + value
                    .find(|c: char| "\"',&".contains(c))
                    .unwrap_or(usize::MAX)
                    .min(line_end(value)),
        ),
    };
    // the scheme is no secret and says much
    let scheme = SCHEMES
        .iter()
        .find(|s| text[start..end].starts_with(**s))
        .map_or(0, |s| s.len());
    Some(start + scheme..end)
}

fn line_end(text: &str) -> usize {
    text.find('\n').unwrap_or(text.len())
}

fn word(text: &str, start: usize) -> std::ops::Range<usize> {
    let rest = &text[start..];
    let end = rest
        .find(|c: char| c.is_whitespace() || "\"',".contains(c))
        .unwrap_or(rest.len());
    start..start + end
}

/// Hides a range, except for the variables and placeholders in it.
fn hide(bytes: &mut [u8], text: &str, range: std::ops::Range<usize>) {
    let mut at = range.start;
    while at < range.end {
        let rest = &text[at..range.end];
        let reference = [("${", "}"), ("{{", "}}")]
            .into_iter()
            .find_map(|(open, close)| {
                let inner = rest.strip_prefix(open)?;
                inner
                    .find(close)
                    .map_or(Some(rest.len()), |n| Some(open.len() + n + close.len()))
            });
        match reference {
            Some(length) => at += length,
            None => {
                let next = at + rest.chars().next().map_or(1, char::len_utf8);
                bytes[at..next].fill(b'*');
                at = next;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::mask;

    #[test]
    fn credentials_are_hidden_and_variables_are_not() {
        for (text, masked) in [
            (
                "Authorization = \"Bearer abcdef\"",
                "Authorization = \"Bearer ******\"",
            ),
            (
                "X-Api-Key: ab${TOKEN}cd{{ref}}",
                "X-Api-Key: **${TOKEN}**{{ref}}",
            ),
            (
                "Authorization = \"Bearer ${TOKEN}\"",
                "Authorization = \"Bearer ${TOKEN}\"",
            ),
            (
                "--account a=Cookie: session=1; b=2",
                "--account a=Cookie: **************",
            ),
            (
                "url = \"postgres://me:pw@h/db\"",
                "url = \"postgres://me:**@h/db\"",
            ),
            (
                "json = { key = \"sk_live_123\" }",
                "json = { key = \"sk_live_***\" }",
            ),
            ("X-Api-Key = 'grün'", "X-Api-Key = '*****'"),
            ("amount = 49900", "amount = 49900"),
        ] {
            assert_eq!(mask(text), masked);
            assert_eq!(mask(text).len(), text.len());
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_keeps_its_length(text in "(token|Cookie|[=:\"' ${}@/é\n]|://|bearer ){0,30}") {
            assert_eq!(mask(&text).len(), text.len());
        }
    }
}
