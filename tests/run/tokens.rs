//! Tokens by client credentials, against a small server that gives them out and one API that wants them.
//! It must not wait long: lives of tokens here are a second.

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use doubletap::config::target::{OAuth, Target};

use super::harness::{Trial, drill, payment, target};
use super::server::{Seen, Server, json};

const SECRET: &str = "hush-hush-secret";

/// Gives out `token-N-hush`; the API takes the newest only, and says in its replies what it was sent.
struct Office {
    server: Server,
    given: Arc<AtomicUsize>,
}

impl Office {
    /// Tokens live for so long; the API refuses requests as `refuses` says, which gets the number of tokens given.
    fn open(
        life: &'static str,
        refuses: impl Fn(&Seen, usize) -> bool + Send + Sync + 'static,
    ) -> Self {
        let given = Arc::new(AtomicUsize::new(0));
        let count = given.clone();
        let server = Server::start(move |seen, n| {
            if seen.head.starts_with("POST /token ") {
                let number = count.fetch_add(1, Ordering::SeqCst) + 1;
                return json(
                    200,
                    "",
                    &format!(
                        "{{\"access_token\":\"token-{number}-hush\",\"token_type\":\"bearer\",\"expires_in\":{life}}}"
                    ),
                );
            }
            let given = count.load(Ordering::SeqCst);
            let sent = seen.header("authorization").unwrap_or_default();
            if sent != format!("Bearer token-{given}-hush") || refuses(seen, given) {
                return json(401, "", &format!("{{\"refused\":\"{sent}\"}}"));
            }
            json(201, "", &format!("{{\"id\":\"p{n}\",\"you\":\"{sent}\"}}"))
        });
        Self { server, given }
    }

    fn target(&self) -> Target {
        let mut target = target(self.server.url("/").as_str(), vec![payment()]);
        target.accounts.truncate(1);
        target.accounts[0].headers = vec![(
            "Authorization".into(),
            format!("Bearer {}", OAuth::stand_in("a")),
        )];
        target.accounts[0].oauth = Some(OAuth {
            token_url: self.server.url("/token"),
            client_id: "client+1".into(),
            client_secret: SECRET.to_owned().into(),
            scope: Some("payments".into()),
            in_body: false,
            params: vec![("audience".into(), "shop".into())],
        });
        target
    }

    fn asked(&self) -> Vec<Seen> {
        let all = self.server.requests();
        all.into_iter()
            .filter(|seen| seen.head.starts_with("POST /token "))
            .collect()
    }
}

const TWICE: &str = "[[step]]\nsend = { as = \"first\", key = \"k\" }\n[[step]]\nsend = { as = \"second\", key = \"k\" }\n";

#[test]
fn a_token_is_fetched_before_the_run_and_stands_in_no_event() {
    let office = Office::open("3600", |_, _| false);
    let target = office.target();
    let story = Trial::new(&target).run(&drill(TWICE, false));
    assert_eq!(story.statuses("second"), [201]);
    let seen = office.server.requests();
    assert!(seen[0].head.starts_with("POST /token "), "{}", seen[0].head);
    // client%2B1:hush-hush-secret, as RFC 6749 writes both
    assert_eq!(
        seen[0].header("authorization").as_deref(),
        Some("Basic Y2xpZW50JTJCMTpodXNoLWh1c2gtc2VjcmV0")
    );
    let form: BTreeMap<String, String> = url::form_urlencoded::parse(&seen[0].body)
        .into_owned()
        .collect();
    assert_eq!(form["grant_type"], "client_credentials");
    assert_eq!(
        (form["scope"].as_str(), form["audience"].as_str()),
        ("payments", "shop")
    );
    assert_eq!(office.asked().len(), 1, "one is enough for the whole run");
    assert_eq!(
        story.end.requests,
        seen.len() as u64,
        "the token's request is counted"
    );
    let told = format!("{:?}", story.events);
    for secret in ["token-1-hush", SECRET] {
        assert!(!told.contains(secret), "{secret} in {told}");
    }
    assert!(told.contains("doubletap-token-of-a") && told.contains("TOKEN_OF_A"));
}

#[test]
fn a_token_is_renewed_before_it_expires() {
    let office = Office::open("1", |_, _| false);
    let target = office.target();
    let steps = TWICE.replace(
        "[[step]]\nsend = { as = \"second\"",
        "[[step]]\nwait = { for = \"1s\" }\n[[step]]\nsend = { as = \"second\"",
    );
    let story = Trial::new(&target).run(&drill(&steps, false));
    assert_eq!(story.statuses("second"), [201]);
    assert!(office.asked().len() >= 2);
}

#[test]
fn a_refused_token_is_renewed_once_and_the_request_sent_again() {
    let office = Office::open("3600", |seen, given| {
        seen.header("idempotency-key").is_some() && given == 1 && seen.head.contains("/payments")
    });
    let target = office.target();
    let story = Trial::new(&target).run(&drill(TWICE, false));
    assert_eq!(story.statuses("preflight"), [401, 201]);
    assert_eq!(
        (story.statuses("first"), story.statuses("second")),
        (vec![201], vec![201])
    );
    assert_eq!(office.given.load(Ordering::SeqCst), 2);
    assert!(
        story.notes().iter().any(|note| note.contains("401")),
        "{:?}",
        story.notes()
    );

    let closed = Office::open("3600", |_, _| true);
    let target = closed.target();
    let story = Trial::new(&target).run(&drill(TWICE, false));
    assert_eq!(
        closed.given.load(Ordering::SeqCst),
        2,
        "a new token that is refused too is no reason for a third"
    );
    assert!(story.stopped().unwrap().why.contains("401"));
}

#[test]
fn copies_whose_token_expired_among_them_are_no_answers_and_the_round_is_repeated() {
    let calls = Arc::new(AtomicUsize::new(0));
    let count = calls.clone();
    // the first token is good for the preflight and for three of the four copies
    let office = Office::open("3600", move |seen, given| {
        seen.head.contains("/payments") && given == 1 && count.fetch_add(1, Ordering::SeqCst) >= 4
    });
    let target = office.target();
    let mut trial = Trial::new(&target);
    trial.copies = 4;
    trial.rounds = 2;
    let burst = "[[step]]\nburst = { send = [{ as = \"copies\", key = \"k\" }] }\n";
    let story = trial.run(&drill(burst, true));
    assert_eq!(office.asked().len(), 2);
    let mut statuses = story.statuses("copies");
    let rest = statuses.split_off(4);
    statuses.sort_unstable();
    assert_eq!(
        statuses,
        [0, 201, 201, 201],
        "what it would have got is not known"
    );
    assert!(rest.iter().all(|status| *status == 201), "{rest:?}");
    let gates = story.gates();
    assert!(!gates[0].in_step && gates.len() > 2, "{gates:?}");
}

#[test]
fn copies_that_a_new_token_does_not_help_keep_their_answer() {
    let calls = Arc::new(AtomicUsize::new(0));
    // the preflight is let in, and nobody after it
    let office = Office::open("3600", move |seen, _| {
        seen.head.contains("/payments") && calls.fetch_add(1, Ordering::SeqCst) >= 1
    });
    let target = office.target();
    let mut trial = Trial::new(&target);
    trial.copies = 3;
    trial.rounds = 2;
    let burst = "[[step]]\nburst = { send = [{ as = \"copies\", key = \"k\" }] }\n";
    let statuses = trial.run(&drill(burst, true)).statuses("copies");
    assert!(
        statuses[3..].iter().all(|status| *status == 401),
        "{statuses:?}"
    );
}

#[test]
fn credentials_that_are_wrong_on_purpose_get_no_new_token() {
    let office = Office::open("3600", |_, _| false);
    let target = office.target();
    let steps = "[[step]]\nsend = { as = \"bad\", key = \"k\", vary = \"bad-credentials\" }\n[[step]]\nsend = { as = \"none\", key = \"k\", vary = \"no-credentials\" }\n";
    let story = Trial::new(&target).run(&drill(steps, false));
    assert_eq!(
        (story.statuses("bad"), story.statuses("none")),
        (vec![401], vec![401])
    );
    assert_eq!(office.asked().len(), 1);
}

#[test]
fn without_a_token_nothing_else_is_sent() {
    let server = Server::start(|_, _| {
        json(
            401,
            "",
            "{\"error\":\"invalid_client\",\"error_description\":\"not hush-hush-secret\"}",
        )
    });
    let office = Office {
        server,
        given: Arc::default(),
    };
    let target = office.target();
    let story = Trial::new(&target).run(&drill(TWICE, false));
    let stopped = story.stopped().unwrap();
    assert!(
        stopped.why.contains("answered 401 (invalid_client)"),
        "{}",
        stopped.why
    );
    assert!(!format!("{:?}", story.events).contains(SECRET));
    assert_eq!(office.server.requests().len(), 1);
}

#[test]
fn a_busy_token_endpoint_is_asked_again_when_it_says() {
    let tries = AtomicUsize::new(0);
    let server = Server::start(move |seen, n| {
        if seen.head.starts_with("POST /token ") {
            return match tries.fetch_add(1, Ordering::SeqCst) {
                0 => json(429, "retry-after: 1\r\n", "{}"),
                _ => json(200, "", "{\"access_token\":\"t-1\"}"),
            };
        }
        json(201, "", &format!("{{\"id\":\"p{n}\"}}"))
    });
    let office = Office {
        server,
        given: Arc::default(),
    };
    let mut target = office.target();
    if let Some(oauth) = &mut target.accounts[0].oauth {
        oauth.in_body = true;
    }
    let story = Trial::new(&target).run(&drill(TWICE, false));
    assert_eq!(story.statuses("first"), [201]);
    let asked = office.asked();
    assert_eq!(asked.len(), 2);
    let waited = asked[1].complete_at.duration_since(asked[0].complete_at);
    assert!(waited.as_millis() >= 950, "{waited:?}");
    assert!(asked[0].header("authorization").is_none());
    assert!(String::from_utf8_lossy(&asked[0].body).contains("client_secret=hush-hush-secret"));
}

/// The program on a target file with this account.
fn program(
    server: &Server,
    account: &str,
    words: &[&str],
) -> (tempfile::TempDir, std::process::Output) {
    let folder = tempfile::tempdir().unwrap();
    let file = format!(
        "url = \"{}\"\npolicy = \"plain\"\n[account.a]\n{account}\n[operation.payment]\nrequest = \"POST /payments\"\njson = {{ amount = 1 }}\nidentity = \"/id\"\n",
        server.url("")
    );
    std::fs::write(folder.path().join("doubletap.toml"), file).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_doubletap"))
        .args(words)
        .env_clear()
        .env("XDG_STATE_HOME", folder.path().join("state"))
        .env("OAUTH_SECRET", SECRET)
        .current_dir(folder.path())
        .output()
        .unwrap();
    (folder, output)
}

#[test]
fn the_program_shows_neither_token_nor_secret_anywhere() {
    let office = Office::open("3600", |_, _| false);
    let account = format!(
        "oauth = {{ token-url = \"{}\", client-id = \"shop\", client-secret = \"${{OAUTH_SECRET}}\" }}",
        office.server.url("/token")
    );
    let words = [
        "run",
        "--drill",
        "drill.replay",
        "--rounds",
        "1",
        "--journal",
        "run.jsonl",
        "--output",
        "json=r.json",
        "--output",
        "html=r.html",
        "-vv",
    ];
    let (folder, output) = program(&office.server, &account, &words);
    let mut shown = String::from_utf8_lossy(&output.stdout).into_owned();
    shown.push_str(&String::from_utf8_lossy(&output.stderr));
    for file in ["run.jsonl", "r.json", "r.html"] {
        shown.push_str(&std::fs::read_to_string(folder.path().join(file)).unwrap());
    }
    assert!(
        shown.contains("a token for account a was fetched"),
        "{shown}"
    );
    let secret_in_basic = "c2hvcDpodXNoLWh1c2gtc2VjcmV0";
    for secret in ["token-1-hush", SECRET, secret_in_basic] {
        assert!(!shown.contains(secret), "{secret} in {shown}");
    }
    assert_eq!(office.asked().len(), 1);

    let (_, dry) = program(&office.server, &account, &["run", "--dry-run"]);
    let told = String::from_utf8_lossy(&dry.stdout).into_owned();
    assert!(
        told.contains("a token for account a comes from POST http://127.0.0.1"),
        "{told}"
    );
    assert_eq!(office.asked().len(), 1, "a dry run fetches none");
}

#[test]
fn a_token_endpoint_is_guarded_as_the_target_is() {
    let server = Server::start(|_, _| json(500, "", "{}"));
    for (url, said) in [
        (
            "http://8.8.8.8/token",
            "8.8.8.8 is neither loopback nor private",
        ),
        (
            "https://api-m.paypal.com/v1/oauth2/token",
            "api-m.paypal.com is a live system",
        ),
        ("token", "not the URL of a token endpoint"),
    ] {
        let account = format!(
            "oauth = {{ token-url = \"{url}\", client-id = \"a\", client-secret = \"${{OAUTH_SECRET}}\" }}"
        );
        let (_, output) = program(&server, &account, &["run"]);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(said), "{told}");
    }
    assert!(server.requests().is_empty());
}

#[test]
fn user_and_password_go_out_as_basic_credentials_and_are_not_shown() {
    let server = Server::start(|seen, n| match seen.header("authorization").as_deref() {
        // shop:hush-hush-secret
        Some("Basic c2hvcDpodXNoLWh1c2gtc2VjcmV0") => {
            json(201, "", &format!("{{\"id\":\"p{n}\"}}"))
        }
        _ => json(401, "", "{}"),
    });
    let account = "basic = { user = \"shop\", password = \"${OAUTH_SECRET}\" }";
    let words = [
        "run",
        "--drill",
        "drill.replay",
        "--rounds",
        "1",
        "--journal",
        "run.jsonl",
    ];
    let (folder, output) = program(&server, account, &words);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let journal = std::fs::read_to_string(folder.path().join("run.jsonl")).unwrap();
    assert!(server.requests().len() > 2, "{told}");
    for secret in [SECRET, "c2hvcDpodXNoLWh1c2gtc2VjcmV0"] {
        assert!(!journal.contains(secret) && !told.contains(secret));
    }
    let both = "headers = { Authorization = \"x\" }\nbasic = { user = \"shop\", password = \"p\" }";
    let (_, output) = program(&server, both, &["check"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("Authorization is given twice"), "{told}");
}
