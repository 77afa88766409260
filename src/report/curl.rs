//! Requests as `curl` commands for bash, with secrets, keys and references as variables.
//! It must not know why a request is repeated.

use super::bash;
use super::document::{AttemptRecord, RequestRecord};
pub use super::fill::Fill;
use crate::journal::Errand;

/// A command, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Words, quoted for bash.
    Words(Vec<String>),
    /// Why the request cannot be repeated by a command.
    Comment(String),
}

/// Headers that curl makes itself, and makes right.
const OWN_HEADERS: [&str; 5] = [
    "content-length",
    "host",
    "connection",
    "transfer-encoding",
    "user-agent",
];

/// The variables of these requests: names of what stands for secrets.
#[must_use]
pub fn secrets(attempts: &[&AttemptRecord]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let texts = attempts.iter().flat_map(|attempt| {
        let request = &attempt.request;
        let values = request.headers.iter().map(|(_, value)| value);
        values.chain(&request.body).chain([&request.url])
    });
    for name in texts.flat_map(|text| bash::variables(text)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// A request that the tool sent beside the attempts, such as the one that makes a key expire.
#[must_use]
pub fn errand(errand: &Errand, fill: &Fill) -> Vec<String> {
    let request = RequestRecord {
        method: errand.method.clone(),
        url: errand.url.clone(),
        headers: errand.headers.to_vec(),
        wire_key: None,
        body_name: String::new(),
        variation: None,
        body: errand.body.text.clone(),
        body_bytes: errand.body.len,
        body_truncated: errand.body.truncated,
    };
    words(&request, fill)
}

/// A GET with the credentials of an attempt.
#[must_use]
pub fn get(url: &str, attempt: &AttemptRecord, fill: &Fill) -> Vec<String> {
    let credential = |(_, value): &&(String, String)| !bash::variables(value).is_empty();
    let headers = attempt.request.headers.iter().filter(credential);
    let request = RequestRecord {
        method: "GET".to_owned(),
        url: url.to_owned(),
        headers: headers.cloned().collect(),
        wire_key: None,
        body_name: String::new(),
        variation: None,
        body: None,
        body_bytes: 0,
        body_truncated: false,
    };
    let mut words = words(&request, fill);
    words.retain(|word| word != "-i");
    words
}

/// The command that repeats an attempt.
#[must_use]
pub fn command(attempt: &AttemptRecord, fill: &Fill) -> Command {
    let request = &attempt.request;
    let refuse = |why: &str| Command::Comment(format!("# request {}: {why}", attempt.id));
    if request.body_bytes > 0 && (request.body.is_none() || request.body_truncated) {
        return refuse("its body is not kept as text, so no command can repeat it");
    }
    let texts = request
        .headers
        .iter()
        .map(|(_, value)| value)
        .chain(&request.body)
        .chain([&request.url]);
    if texts.into_iter().any(|text| text.contains('\0')) {
        return refuse("it holds a NUL byte, which no command line can carry");
    }
    Command::Words(words(request, fill))
}

fn words(request: &RequestRecord, fill: &Fill) -> Vec<String> {
    let mut words: Vec<String> = ["curl", "-sS", "-i"].map(str::to_owned).to_vec();
    if request.url.contains(['[', ']', '{', '}']) {
        words.push("--globoff".to_owned());
    }
    if request.method != "GET" || request.body.is_some() {
        words.push("-X".to_owned());
        words.push(fill.word(&request.method));
    }
    words.push(fill.word(&request.url));
    for (name, value) in &request.headers {
        let any = name.eq_ignore_ascii_case("accept") && value == "*/*";
        if any || OWN_HEADERS.contains(&name.to_ascii_lowercase().as_str()) {
            continue;
        }
        // curl drops a header without a value unless it ends in a semicolon
        let header = if value.is_empty() {
            format!("{name};")
        } else {
            format!("{name}: {value}")
        };
        words.push("-H".to_owned());
        words.push(fill.word(&header));
    }
    if let Some(body) = request.body.as_ref().filter(|body| !body.is_empty()) {
        let typed = |(name, _): &(String, String)| name.eq_ignore_ascii_case("content-type");
        if !request.headers.iter().any(typed) {
            words.push("-H".to_owned());
            words.push("Content-Type:".to_owned());
        }
        words.push("--data-raw".to_owned());
        words.push(fill.word(body));
    }
    words
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::process::Command as Process;

    use super::super::bash::fold;
    use super::super::document::{OutcomeWord, RequestRecord};
    use super::*;

    const KEY: &str = "3f2b8c1e-6d0a-4c55-9b1e-7a2f4c9d0e11";

    fn attempt(headers: &[(&str, &str)], body: &str) -> AttemptRecord {
        AttemptRecord {
            id: 7,
            drill: "drill.replay@payment".into(),
            round: 0,
            step: "first".into(),
            copy: 0,
            repeat: 0,
            operation: "payment".into(),
            account: "a".into(),
            key: Some(KEY.into()),
            reference: "dt-r1-000017".into(),
            sent_us: 0,
            released_us: None,
            first_byte_us: None,
            end_us: None,
            outcome: OutcomeWord::Unknown,
            why: None,
            status: None,
            headers: BTreeMap::new(),
            body: None,
            body_truncated: false,
            identity: None,
            marked: None,
            request: RequestRecord {
                method: "POST".into(),
                url: "http://127.0.0.1:8080/payments?a=1&b=[2]".into(),
                headers: headers
                    .iter()
                    .map(|(n, v)| ((*n).into(), (*v).into()))
                    .collect(),
                wire_key: None,
                body_name: "base".into(),
                variation: None,
                body: Some(body.into()),
                body_bytes: body.len() as u64,
                body_truncated: false,
            },
        }
    }

    struct Script {
        variables: Vec<String>,
        commands: Vec<Command>,
    }

    fn script(attempts: &[&AttemptRecord]) -> Script {
        let fill = Fill::of(attempts);
        let commands = attempts.iter().map(|attempt| command(attempt, &fill));
        Script {
            commands: commands.collect(),
            variables: fill.assignments(),
        }
    }

    /// What bash hands to the program: the arguments, read back one by one.
    fn arguments(script: &Script) -> Vec<String> {
        let mut text = String::from("SHOP_TOKEN_A=s3cr3t\"'`$(x)\n");
        for line in &script.variables {
            text.push_str(line);
            text.push('\n');
        }
        text.push_str("curl() { printf '%s\\0' \"$@\" \"KEY:$KEY\"; }\n");
        text = text.replace("s3cr3t\"'`$(x)", "'s3cr3t\"`$(x)'");
        for command in &script.commands {
            if let Command::Words(words) = command {
                text.push_str(&fold(words, 60));
                text.push('\n');
            }
        }
        let out = Process::new("bash").args(["-c", &text]).output().unwrap();
        assert!(
            out.status.success(),
            "{}",
            String::from_utf8_lossy(&out.stderr)
        );
        let out = String::from_utf8(out.stdout).unwrap();
        out.split_terminator('\0').map(str::to_owned).collect()
    }

    #[test]
    fn bash_gets_the_body_byte_for_byte_whatever_it_holds() {
        let body = "{\"note\":\"it's $HOME `x` \\n !\u{1b}[31m \u{202e} é\"}\n";
        let script = script(&[&attempt(&[("content-type", "application/json")], body)]);
        let arguments = arguments(&script);
        let at = arguments.iter().position(|a| a == "--data-raw").unwrap();
        // $HOME stands for what was redacted: it is the only part that bash fills in
        let expected = body.replace("$HOME", &std::env::var("HOME").unwrap());
        assert_eq!(arguments[at + 1], expected);
    }

    #[test]
    fn secrets_come_from_variables_and_stay_whole() {
        let headers = [("authorization", "Bearer $SHOP_TOKEN_A")];
        let script = script(&[&attempt(&headers, "{}")]);
        let arguments = arguments(&script);
        assert!(
            arguments.contains(&"authorization: Bearer s3cr3t\"`$(x)".to_owned()),
            "{arguments:?}"
        );
    }

    #[test]
    fn a_repetition_uses_a_fresh_key_and_a_fresh_reference() {
        let headers = [
            ("idempotency-key", KEY),
            ("content-type", "application/json"),
        ];
        let script = script(&[&attempt(&headers, "{\"reference\":\"dt-r1-000017\"}")]);
        assert_eq!(script.variables.len(), 2);
        let arguments = arguments(&script);
        let fresh = arguments
            .last()
            .unwrap()
            .strip_prefix("KEY:")
            .unwrap()
            .to_owned();
        assert_ne!(fresh, KEY);
        assert_eq!(uuid::Uuid::try_parse(&fresh).unwrap().get_version_num(), 4);
        assert!(
            arguments.contains(&format!("idempotency-key: {fresh}")),
            "{arguments:?}"
        );
        assert!(
            !arguments.iter().any(|a| a.contains("dt-r1-000017")),
            "{arguments:?}"
        );
    }

    #[test]
    fn a_key_whose_shape_matters_is_sent_as_recorded() {
        let mut odd = attempt(&[("idempotency-key", "A-é")], "{}");
        odd.key = Some("A-é".into());
        let script = script(&[&odd]);
        assert!(script.variables.is_empty(), "{:?}", script.variables);
        assert!(arguments(&script).contains(&"idempotency-key: A-é".to_owned()));
    }

    #[test]
    fn a_header_without_a_value_and_a_body_without_a_type_stay_so() {
        let arguments = arguments(&script(&[&attempt(&[("x-empty", "")], "a=b")]));
        assert!(arguments.contains(&"x-empty;".to_owned()), "{arguments:?}");
        assert!(
            arguments.contains(&"Content-Type:".to_owned()),
            "{arguments:?}"
        );
        assert!(arguments.contains(&"--globoff".to_owned()), "{arguments:?}");
    }

    #[test]
    fn what_no_command_can_carry_is_said() {
        let script = script(&[&attempt(&[], "a\0b")]);
        let [Command::Comment(why)] = &script.commands[..] else {
            panic!("{:?}", script.commands)
        };
        assert!(why.contains("NUL"), "{why}");
    }
}
