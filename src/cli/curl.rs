//! A curl command line as a request: what `doubletap init --from-curl` begins with.
//! It must not know what becomes of the request, and refuses what it would have to guess.

/// A request as curl would send it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Curl {
    /// The method.
    pub method: String,
    /// The URL.
    pub url: String,
    /// Headers, in order.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Option<String>,
    /// `user:password`.
    pub user: Option<String>,
    /// What was left out, for the user to know.
    pub left_out: Vec<String>,
}

/// Options that change only what curl shows, or how patient it is.
const SILENT: [&str; 22] = [
    "-s",
    "--silent",
    "-S",
    "--show-error",
    "-i",
    "--include",
    "-v",
    "--verbose",
    "--compressed",
    "-f",
    "--fail",
    "--fail-with-body",
    "-#",
    "--progress-bar",
    "-N",
    "--no-buffer",
    "-g",
    "--globoff",
    "--http1.1",
    "--http2",
    "-4",
    "-6",
];
/// The same, with a value.
const SILENT_WITH_VALUE: [&str; 9] = [
    "-o",
    "--output",
    "-w",
    "--write-out",
    "-m",
    "--max-time",
    "--connect-timeout",
    "--retry",
    "--max-redirs",
];
/// What doubletap does otherwise on purpose.
const OTHERWISE: [(&str, &str); 4] = [
    ("-L", "redirects are never followed"),
    ("--location", "redirects are never followed"),
    ("-k", "certificates are always checked; see --cacert"),
    (
        "--insecure",
        "certificates are always checked; see --cacert",
    ),
];

/// Reads a command line.
pub fn parse(line: &str) -> Result<Curl, String> {
    if line.contains("$'") {
        return Err("the quoting $'...' is bash's own; write it with plain quotes".to_owned());
    }
    let one_line = line.replace("\\\r\n", " ").replace("\\\n", " ");
    let words = shlex::split(&one_line).ok_or("a quote is not closed")?;
    let mut words = words.into_iter().peekable();
    if words.peek().is_some_and(|word| word == "curl") {
        words.next();
    }
    let mut curl = Curl::default();
    let mut data: Vec<String> = Vec::new();
    let mut get = false;
    while let Some(word) = words.next() {
        let (option, joined) = split(&word);
        let mut value = || {
            joined
                .clone()
                .or_else(|| words.next())
                .ok_or(format!("{option} has no value"))
        };
        match option.as_str() {
            "-X" | "--request" => curl.method = value()?,
            "--url" => curl.url = value()?,
            "-H" | "--header" => {
                let header = value()?;
                let (name, value) = header
                    .split_once(':')
                    .ok_or(format!("`{header}` is no header"))?;
                curl.headers
                    .push((name.trim().to_owned(), value.trim().to_owned()));
            }
            "-A" | "--user-agent" => {
                let agent = value()?;
                curl.headers.push(("User-Agent".to_owned(), agent));
            }
            "-b" | "--cookie" => {
                let cookie = value()?;
                if !cookie.contains('=') {
                    return Err(format!(
                        "{option} {cookie} reads a file of cookies; give the cookie itself, NAME=VALUE"
                    ));
                }
                curl.headers.push(("Cookie".to_owned(), cookie));
            }
            "-u" | "--user" => curl.user = Some(value()?),
            "-d" | "--data" | "--data-ascii" | "--data-binary" => {
                let text = value()?;
                if text.starts_with('@') {
                    return Err(format!(
                        "{option} {text} reads a file; put its text in place of {text}"
                    ));
                }
                data.push(text);
            }
            "--data-raw" => data.push(value()?),
            "--data-urlencode" => data.push(urlencoded(&value()?)?),
            "--json" => {
                let text = value()?;
                if text.starts_with('@') {
                    return Err(format!(
                        "--json {text} reads a file; put its text in place of {text}"
                    ));
                }
                data.push(text);
                for name in ["Content-Type", "Accept"] {
                    curl.headers
                        .push((name.to_owned(), "application/json".to_owned()));
                }
            }
            "-G" | "--get" => get = true,
            "-I" | "--head" => curl.method = "HEAD".to_owned(),
            option if SILENT.contains(&option) => {}
            option if SILENT_WITH_VALUE.contains(&option) => drop(value()?),
            option if OTHERWISE.iter().any(|(name, _)| *name == option) => {
                let why = OTHERWISE
                    .iter()
                    .find(|(name, _)| *name == option)
                    .map_or("", |(_, why)| *why);
                curl.left_out.push(format!("{option}: {why}"));
            }
            option if option.starts_with('-') && option.len() > 1 => {
                return Err(format!(
                    "{option} is not supported; take it out, or write the target by hand"
                ));
            }
            _ if curl.url.is_empty() => curl.url = word,
            _ => return Err(format!("`{word}` is a second URL")),
        }
    }
    if curl.url.is_empty() {
        return Err("there is no URL".to_owned());
    }
    if !curl.url.contains("://") {
        curl.url = format!("http://{}", curl.url);
    }
    if !data.is_empty() {
        // curl joins JSON without, everything else with an ampersand
        let is_json = curl.headers.iter().any(|(name, value)| {
            name.eq_ignore_ascii_case("content-type") && value.contains("json")
        });
        let joined = data.join(if is_json { "" } else { "&" });
        if get {
            let sign = if curl.url.contains('?') { '&' } else { '?' };
            curl.url = format!("{}{sign}{joined}", curl.url);
        } else {
            curl.body = Some(joined);
        }
    }
    if curl.method.is_empty() {
        curl.method = if curl.body.is_some() { "POST" } else { "GET" }.to_owned();
    }
    Ok(curl)
}

/// `-XPOST` and `--request=POST` as option and value; bundles of silent options (`-sS`) as nothing to do.
fn split(word: &str) -> (String, Option<String>) {
    if word.starts_with("--") {
        return match word.split_once('=') {
            Some((option, value)) => (option.to_owned(), Some(value.to_owned())),
            None => (word.to_owned(), None),
        };
    }
    let takes_value = ["-X", "-H", "-d", "-u", "-A", "-b", "-o", "-w", "-m", "-F"];
    match word.get(..2) {
        Some(option) if word.len() > 2 && takes_value.contains(&option) => {
            (option.to_owned(), Some(word[2..].to_owned()))
        }
        Some("-s" | "-S" | "-i" | "-v" | "-f")
            if word[1..].chars().all(|c| "sSivfN#g".contains(c)) =>
        {
            ("-s".to_owned(), None)
        }
        _ => (word.to_owned(), None),
    }
}

/// `name=text` with the text encoded, as curl does it.
fn urlencoded(text: &str) -> Result<String, String> {
    let encode = |text: &str| {
        percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
    };
    match text.split_once('=') {
        Some(("", value)) => Ok(encode(value)),
        Some((name, value)) if !name.contains('@') => Ok(format!("{name}={}", encode(value))),
        None if !text.contains('@') => Ok(encode(text)),
        _ => Err(format!(
            "--data-urlencode {text} reads a file; put its text in place"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_copied_command_line_is_understood() {
        let curl = parse(
            "curl -sS -XPOST 'https://h/payments' \\\n -H 'Authorization: Bearer t' --header='X-Env: a' --data-raw '{\"a\": 1}' -u me:pw --compressed -o /dev/null",
        )
        .unwrap();
        assert_eq!(
            (curl.method.as_str(), curl.url.as_str()),
            ("POST", "https://h/payments")
        );
        assert_eq!(curl.headers.len(), 2);
        assert_eq!(curl.body.as_deref(), Some("{\"a\": 1}"));
        assert_eq!(curl.user.as_deref(), Some("me:pw"));
    }

    #[test]
    fn data_makes_a_post_and_a_get_puts_it_into_the_query() {
        assert_eq!(
            parse("curl h/p -d a=1 -d b=2").unwrap().body.as_deref(),
            Some("a=1&b=2")
        );
        assert_eq!(parse("curl h/p -d a=1").unwrap().method, "POST");
        let get = parse("curl -G h/p --data-urlencode 'q=a b'").unwrap();
        assert_eq!(
            (get.method.as_str(), get.url.as_str(), get.body),
            ("GET", "http://h/p?q=a%20b", None)
        );
        let json = parse("curl h/p --json '{\"a\":1}'").unwrap();
        assert_eq!(
            json.headers[0],
            ("Content-Type".to_owned(), "application/json".to_owned())
        );
    }

    #[test]
    fn what_would_have_to_be_guessed_is_refused_by_name() {
        for (line, part) in [
            ("curl h -F a=@b", "-F is not supported"),
            ("curl h --form x=y", "--form is not supported"),
            ("curl h -d @body.json", "@body.json"),
            ("curl h --data-urlencode a@b", "a@b"),
            ("curl h -b cookies.txt", "cookies.txt"),
            ("curl h --proxy p", "--proxy is not supported"),
            ("curl h 'oops", "not closed"),
            ("curl -X POST", "no URL"),
            ("curl a b", "second URL"),
            ("curl h -H", "no value"),
            ("curl h -d $'a\\n'", "$'...'"),
        ] {
            let error = parse(line).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
        assert_eq!(parse("curl -k h").unwrap().left_out.len(), 1);
    }
}
