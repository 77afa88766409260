//! A target that cannot be tested stops the run, with the reason and the line to add.

use std::time::Duration;

use super::harness::{Trial, drill, payment, target};
use super::server::{Server, json};
use doubletap::config::target::{Counter, Identity};
use doubletap::contract::WireForm;
use doubletap::journal::event::Event;

fn any_drill() -> doubletap::config::suite::Drill {
    drill("[[step]]\nsend = { as = \"first\", key = \"k\" }\n", false)
}

fn stops(server: &Server, identity: Identity) -> (String, String) {
    let mut operation = payment();
    operation.identity = identity;
    let target = target(server.url("/").as_str(), vec![operation]);
    let story = Trial::new(&target).run(&any_drill());
    assert!(story.attempts("first").is_empty(), "no drill was begun");
    let stopped = story.stopped().expect("the run stopped");
    (stopped.why, stopped.remedy)
}

#[test]
fn an_ordinary_request_that_fails_stops_the_run_with_a_remedy() {
    for (status, remedy) in [
        (401, "[account.a]"),
        (404, "path"),
        (500, "log"),
        (200, "success = [200]"),
        (302, "redirects are not followed"),
        (422, "body"),
    ] {
        let server = Server::start(move |_, _| json(status, "", "{\"message\":\"because\"}"));
        let (why, said) = stops(&server, Identity::Pointer("/id".into()));
        assert!(why.contains(&status.to_string()), "{why}");
        assert!(why.contains("because"), "{why}");
        assert!(said.contains(remedy), "{said}");
    }
}

#[test]
fn nothing_that_listens_is_said_at_once() {
    let port = {
        let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        closed.local_addr().unwrap().port()
    };
    let target = target(&format!("http://127.0.0.1:{port}"), vec![payment()]);
    let story = Trial::new(&target).run(&any_drill());
    assert!(story.stopped().unwrap().remedy.contains("--wait"));
    assert_eq!(story.end.requests, 0);
}

#[test]
fn a_quoted_key_that_is_refused_is_tried_bare_and_the_line_is_named() {
    let server = Server::start(|seen, _| {
        if seen.header("idempotency-key").unwrap().starts_with('"') {
            json(400, "", "{}")
        } else {
            json(201, "", "{\"id\":\"p\"}")
        }
    });
    let mut target = target(server.url("/").as_str(), vec![payment()]);
    for contract in target.contracts.values_mut() {
        contract.key.value.form = WireForm::SfString;
    }
    let story = Trial::new(&target).run(&any_drill());
    let remedy = story.stopped().unwrap().remedy;
    assert!(
        remedy.contains("contract.key = { form = \"bare\" }"),
        "{remedy}"
    );
    assert_eq!(story.statuses("preflight-bare"), [201]);
}

#[test]
fn the_identity_is_found_out_from_two_replies() {
    let server = Server::start(|_, n| {
        let body =
            format!("{{\"request_id\":\"q{n}\",\"customer_id\":9,\"data\":{{\"id\":\"p{n}\"}}}}");
        json(201, "", &body)
    });
    let mut operation = payment();
    operation.identity = Identity::Detect;
    let target = target(server.url("/").as_str(), vec![operation]);
    let story = Trial::new(&target).run(&any_drill());
    let found = story.pick(|event| match event {
        Event::Identity(found) => Some(found.clone()),
        _ => None,
    });
    assert_eq!(found[0].identity, Identity::Pointer("/data/id".into()));
    assert!(found[0].detected);
}

#[test]
fn an_ambiguous_identity_stops_with_the_candidates() {
    let server = Server::start(|_, n| {
        json(
            201,
            "",
            &format!("{{\"order_id\":{n},\"ledger_id\":\"l{n}\"}}"),
        )
    });
    let (why, remedy) = stops(&server, Identity::Detect);
    assert!(why.contains("/order_id, /ledger_id"), "{why}");
    assert!(remedy.contains("identity = \"/order_id\""), "{remedy}");
}

#[test]
fn a_declared_identity_that_is_in_no_reply_stops_and_names_what_would_fit() {
    for declared in [
        Identity::Pointer("/payment_id".into()),
        Identity::Header("Location".into()),
    ] {
        let server =
            Server::start(|_, n| json(201, "", &format!("{{\"id\":\"p{n}\",\"customer\":9}}")));
        let mut operation = payment();
        operation.identity = declared.clone();
        // counted or not: without an identity no drill comes to a verdict
        operation.count = None;
        let target = target(server.url("/").as_str(), vec![operation]);
        let story = Trial::new(&target).run(&any_drill());
        let stopped = story.stopped().expect("the run stopped");
        assert!(stopped.misconfigured);
        assert!(
            stopped.why.contains("what tells them apart is /id"),
            "{}",
            stopped.why
        );
        assert!(
            stopped
                .remedy
                .contains("identity = \"/id\"  (or --identity /id)"),
            "{}",
            stopped.remedy
        );
        assert!(story.attempts("first").is_empty(), "no drill was begun");
        assert_eq!(server.requests().len(), 2, "nothing more is sent");
    }
}

#[test]
fn what_the_request_brought_itself_is_no_identity_where_nothing_is_counted() {
    let server = || {
        Server::start(|seen, n| {
            let body: serde_json::Value = serde_json::from_slice(&seen.body).unwrap();
            let reference = body["reference"].as_str().unwrap();
            let key = seen.header("idempotency-key").unwrap_or_default();
            json(
                201,
                "",
                &format!("{{\"id\":\"p{n}\",\"reference\":\"{reference}\",\"key\":\"{key}\"}}"),
            )
        })
    };
    for member in ["/reference", "/key"] {
        let server = server();
        let (why, remedy) = stops(&server, Identity::Pointer(member.into()));
        assert!(why.contains("its key or its reference"), "{why}");
        assert!(remedy.contains("declare as identity"), "{remedy}");
        assert_eq!(server.requests().len(), 1, "nothing more is sent");
    }
    let server = server();
    let mut operation = payment();
    operation.identity = Identity::Pointer("/id".into());
    let target = target(server.url("/").as_str(), vec![operation]);
    let story = Trial::new(&target).run(&any_drill());
    assert!(story.stopped().is_none(), "what the service made up is one");
}

#[test]
fn several_that_would_fit_are_all_named_and_none_is_said_too() {
    let many = Server::start(|_, n| {
        json(
            201,
            "",
            &format!("{{\"order_id\":{n},\"ledger_id\":\"l{n}\"}}"),
        )
    });
    let (why, remedy) = stops(&many, Identity::Pointer("/id".into()));
    assert!(why.contains("/order_id or /ledger_id"), "{why}");
    assert!(remedy.contains("--identity /order_id"), "{remedy}");
    let none = Server::start(|_, _| json(201, "", "{\"ok\":true}"));
    let (why, remedy) = stops(&none, Identity::Pointer("/id".into()));
    assert!(why.contains("nothing in them tells"), "{why}");
    assert!(remedy.contains("identity = \"none\""), "{remedy}");
}

#[test]
fn a_declared_identity_that_is_in_one_of_two_replies_is_taken_as_it_is() {
    let server = Server::start(|_, n| {
        let body = if n == 0 {
            "{}".to_owned()
        } else {
            format!("{{\"id\":\"p{n}\"}}")
        };
        json(201, "", &body)
    });
    let mut operation = payment();
    operation.identity = Identity::Pointer("/id".into());
    let target = target(server.url("/").as_str(), vec![operation]);
    let story = Trial::new(&target).run(&any_drill());
    assert!(story.stopped().is_none(), "{:?}", story.stopped());
    assert_eq!(story.statuses("first"), [201]);
}

#[test]
fn no_identity_will_do_where_effects_are_counted_and_stops_where_not() {
    let server = Server::start(|seen, _| {
        if seen.head.starts_with("GET") {
            json(200, "", "{\"count\":1}")
        } else {
            json(201, "", "{\"ok\":true}")
        }
    });
    let (why, _) = stops(&server, Identity::Detect);
    assert!(why.contains("not counted"), "{why}");
    let mut operation = payment();
    operation.identity = Identity::Detect;
    operation.count = Some(Counter::Get {
        path: "/payments?ref={{ref}}".into(),
        headers: vec![],
        at: "/count".into(),
        matching: None,
        page: None,
    });
    let target = target(server.url("/").as_str(), vec![operation]);
    let story = Trial::new(&target).run(&any_drill());
    assert_eq!(story.statuses("first"), [201]);
    assert!(
        story
            .notes()
            .iter()
            .any(|note| note.contains("only the counter decides"))
    );
}

#[test]
fn a_far_host_is_refused_before_anything_is_sent() {
    let target = target("http://93.184.216.34/api", vec![payment()]);
    let story = Trial::new(&target).run(&any_drill());
    let stopped = story.stopped().unwrap();
    assert!(
        stopped.remedy.contains("--allow-host 93.184.216.34"),
        "{}",
        stopped.remedy
    );
    assert_eq!(story.end.requests, 0);
}

#[test]
fn a_counter_on_a_far_host_is_refused_too() {
    let server = Server::start(|_, _| json(201, "", "{\"id\":1}"));
    let mut operation = payment();
    operation.count = Some(Counter::Get {
        path: "http://8.8.8.8/count".into(),
        headers: vec![],
        at: String::new(),
        matching: None,
        page: None,
    });
    let target = target(server.url("/").as_str(), vec![operation]);
    let story = Trial::new(&target).run(&any_drill());
    assert!(story.stopped().unwrap().why.contains("8.8.8.8"));
    assert!(server.requests().is_empty());
}

#[test]
fn a_target_that_starts_late_is_waited_for() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let late = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(600));
        Server::at(address, |_, n| json(201, "", &format!("{{\"id\":{n}}}")))
    });
    let target = target(&format!("http://{address}"), vec![payment()]);
    let mut trial = Trial::new(&target);
    trial.limits.wait = Some(Duration::from_secs(20));
    let story = trial.run(&any_drill());
    assert_eq!(story.statuses("first"), [201]);
    assert!(story.notes().iter().any(|note| note.contains("waited")));
    drop(late.join());
}
