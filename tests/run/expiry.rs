//! Keys are made to expire as declared, and what was changed is recorded.

use super::counting::{SEND_AND_COUNT, booking, counted_by, pair};
use super::harness::{Trial, drill, payment, target, values};
use super::holds::sql;
use super::server::{Server, json};
use doubletap::config::target::{Body, CommandLine, Counter, Expire, Target};
use doubletap::contract::{Length, WireForm};
use doubletap::journal::event::{Event, ExpiryDone};

fn expired(target: &Target) -> ExpiryDone {
    let text =
        "[[step]]\nsend = { as = \"first\", key = \"k\" }\n[[step]]\nexpire = { key = \"k\" }\n";
    let story = Trial::new(target).run(&drill(text, false));
    story
        .pick(|event| match event {
            Event::Expired(done) => Some(done.clone()),
            _ => None,
        })
        .remove(0)
}

#[test]
fn expiry_by_sql_changes_exactly_the_declared_rows_or_nothing() {
    sql("CREATE TABLE IF NOT EXISTS book_three (key uuid, account bigint, reference text)");
    let server = booking("book_three");
    let mut target = counted_by(&server, "SELECT 1");
    let change = |statement: &str, rows| Expire::Sql {
        sql: statement.into(),
        rows,
    };
    let one = "UPDATE book_three SET account = 99 WHERE key = :key AND account = :account";
    target.expire = Some(change(one, 1));
    let done = expired(&target);
    assert!(done.done, "{done:?}");
    target.expire = Some(change("UPDATE book_three SET account = 100", 1));
    let done = expired(&target);
    assert!(!done.done);
    assert!(done.detail.contains("rolled back"), "{}", done.detail);
    target.operations[0].count = Some(Counter::Sql {
        sql: "SELECT count(*) FROM book_three WHERE account = 100".into(),
    });
    let story = Trial::new(&target).run(&drill(SEND_AND_COUNT, false));
    assert_eq!(
        values(&story.counts("all")[0])[&pair("k", "a")],
        Some(0),
        "nothing was changed"
    );
}

#[test]
fn an_expiry_that_finds_no_row_names_the_other_form_of_the_key() {
    sql("CREATE TABLE IF NOT EXISTS book_quoted (key text)");
    let server = Server::start(|seen, _| {
        sql(&format!(
            "INSERT INTO book_quoted VALUES ('{}')",
            seen.header("idempotency-key").unwrap()
        ));
        json(201, "", "{\"id\":\"p\"}")
    });
    let mut target = counted_by(&server, "SELECT 1");
    for contract in target.contracts.values_mut() {
        contract.key.value.form = WireForm::SfString;
    }
    let by = |parameter: &str| {
        Some(Expire::Sql {
            sql: format!("DELETE FROM book_quoted WHERE key = {parameter}"),
            rows: 1,
        })
    };
    target.expire = by(":key");
    let missed = expired(&target);
    assert!(
        !missed.done && missed.detail.contains(":wire_key"),
        "{missed:?}"
    );
    target.expire = by(":wire_key");
    assert!(expired(&target).done);
    // where both are the same there is nothing to hint at
    for contract in target.contracts.values_mut() {
        contract.key.value.form = WireForm::Bare;
    }
    target.expire = by("'nobody' || :key");
    assert!(!expired(&target).detail.contains("wire_key"));
}

#[test]
fn expiry_over_http_by_command_and_by_waiting_say_what_was_seen() {
    let server = Server::start(|seen, _| match () {
        () if seen.head.starts_with("POST /expire/") => {
            assert!(String::from_utf8_lossy(&seen.body).contains("a-id"));
            json(204, "", "")
        }
        () if seen.head.starts_with("POST /no") => json(404, "", ""),
        () => json(201, "", "{\"id\":1}"),
    });
    let mut target = target(server.url("/").as_str(), vec![payment()]);
    let over_http = |path: &str| Expire::Http {
        method: "POST".into(),
        path: path.into(),
        headers: vec![],
        body: Body::Json("{\"account\":\"{{account_id}}\"}".into()),
    };
    target.expire = Some(over_http("/expire/{{key}}"));
    assert!(expired(&target).done);
    target.expire = Some(over_http("/no"));
    let refused = expired(&target);
    assert!(
        !refused.done && refused.detail.contains("404"),
        "{refused:?}"
    );
    target.expire = Some(Expire::Command(CommandLine {
        argv: vec!["/bin/sh".into(), "-c".into(), "echo gone; exit 4".into()],
        timeout: Length::seconds(5),
    }));
    let failed = expired(&target);
    assert!(
        !failed.done && failed.detail.contains("exit 4: gone"),
        "{failed:?}"
    );
    target.expire = Some(Expire::Wait(Length::millis(50)));
    assert!(expired(&target).done);
}
