//! `doubletap sandbox` as a program: what it prints, how it ends, and what it refuses.

#![expect(clippy::unwrap_used, reason = "a test that meets an error has failed")]

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tokio_postgres::NoTls;

use crate::support::postgres;

fn doubletap(arguments: &[&str]) -> Command {
    let mut command = Command::new(snapbox::cmd::cargo_bin!("doubletap"));
    command
        .arg("sandbox")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn refused(arguments: &[&str]) -> String {
    let Output { status, stderr, .. } = doubletap(arguments).output().unwrap();
    assert_eq!(status.code(), Some(2), "{arguments:?}");
    String::from_utf8(stderr).unwrap()
}

fn lines(child: &mut Child, count: usize) -> Vec<String> {
    let stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.lines().take(count).map(Result::unwrap).collect()
}

fn ends(child: &mut Child) -> Option<i32> {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(20) {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    panic!("it does not end");
}

#[test]
fn it_says_where_each_replica_listens_and_ends_with_its_input() {
    let arguments = [
        "--listen",
        "127.0.0.1:0",
        "--replicas",
        "2",
        "--exit-with-stdin",
    ];
    let mut child = doubletap(&arguments).spawn().unwrap();
    for line in lines(&mut child, 2) {
        let address = line
            .strip_prefix("listening on http://")
            .expect("the line has another form");
        std::net::TcpStream::connect(address).unwrap();
    }
    drop(child.stdin.take());
    assert_eq!(ends(&mut child), Some(0));
}

#[test]
fn without_that_flag_a_closed_input_does_not_end_it_and_a_signal_does() {
    let mut child = doubletap(&["--listen", "127.0.0.1:0"]).spawn().unwrap();
    drop(child.stdin.take());
    assert_eq!(lines(&mut child, 1).len(), 1);
    std::thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none());
    let killed = Command::new("kill")
        .arg(child.id().to_string())
        .status()
        .unwrap();
    assert!(killed.success());
    assert_eq!(ends(&mut child), Some(0));
}

#[tokio::test]
async fn its_schema_is_gone_when_it_has_ended() {
    let arguments = [
        "--listen",
        "127.0.0.1:0",
        "--exit-with-stdin",
        "--database-url",
        postgres::url(),
    ];
    let mut child = doubletap(&arguments).spawn().unwrap();
    let said = lines(&mut child, 2);
    let schema = said[0].strip_prefix("schema ").unwrap().to_owned();
    assert!(schema.starts_with("doubletap_sandbox_"));
    assert!(said[1].starts_with("listening on http://127.0.0.1:"));
    let (client, connection) = tokio_postgres::connect(postgres::url(), NoTls)
        .await
        .unwrap();
    tokio::spawn(connection);
    let exists = async || {
        let sql = "SELECT 1 FROM information_schema.schemata WHERE schema_name = $1";
        client.query_opt(sql, &[&schema]).await.unwrap().is_some()
    };
    assert!(exists().await);
    let count =
        format!("SELECT count(*) FROM {schema}.payments WHERE account_id = $1 AND reference = $2");
    let row = client.query_one(&count, &[&"acct-a", &"r"]).await.unwrap();
    assert_eq!(row.get::<_, i64>(0), 0);
    drop(child.stdin.take());
    assert_eq!(ends(&mut child), Some(0));
    assert!(!exists().await);
}

#[test]
fn what_it_cannot_do_is_refused_with_one_clear_error() {
    let text = refused(&["--fault", "check-than-insert"]);
    assert!(text.contains("`check-then-insert`"), "{text}");
    assert!(refused(&["--design", "two-transactions"]).contains("one-transaction"));
    assert!(refused(&["--fault", "check-then-insert=soon"]).contains("20ms"));
    assert!(refused(&["--fault", "retry-after-missing"]).contains("claim-first"));
    assert!(refused(&["--retention", "long"]).contains("24h"));
    assert!(refused(&["--listen", "0.0.0.0:0"]).contains("--listen-anywhere"));
    assert!(
        refused(&["--schema", "x; DROP", "--database-url", "postgres://h"]).contains("letters")
    );
    let nowhere = "postgres://doubletap@127.0.0.1:1/postgres";
    let text = refused(&["--listen", "127.0.0.1:0", "--database-url", nowhere]);
    assert!(text.contains("cannot use the database"), "{text}");
}

#[test]
fn under_a_policy_it_answers_by_the_policy_and_by_the_clauses_laid_over_it() {
    let arguments = [
        "--listen",
        "127.0.0.1:0",
        "--exit-with-stdin",
        "--policy",
        "stripe",
        "--set",
        "missing.refuse.status=[418]",
    ];
    let mut child = doubletap(&arguments).spawn().unwrap();
    let said = lines(&mut child, 1);
    let address = said[0].strip_prefix("listening on http://").unwrap();
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    let head = "POST /payments HTTP/1.1\r\nHost: sandbox\r\nAuthorization: Bearer acct-a\r\n\
        Content-Length: 0\r\nConnection: close\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    assert!(reply.starts_with("HTTP/1.1 418"), "{reply}");
    drop(child.stdin.take());
    assert_eq!(ends(&mut child), Some(0));
}

#[test]
fn a_policy_or_clause_that_does_not_exist_is_pointed_at() {
    let text = refused(&["--policy", "strpe"]);
    assert!(
        text.starts_with("error: there is no policy `strpe`"),
        "{text}"
    );
    assert!(text.contains("did you mean `stripe`?"), "{text}");
    let text = refused(&["--policy", "stripe", "--set", "mismach=run"]);
    assert!(text.contains("did you mean `mismatch`?"), "{text}");
    assert!(refused(&["--policy", "stripe", "--design", "claim-first"]).contains("--design"));
    assert!(refused(&["--policy", "stripe", "--fault", "ignore-key"]).contains("--fault"));
    assert!(refused(&["--set", "mismatch=run"]).contains("--policy"));
}

#[test]
fn a_schema_that_is_there_already_is_left_alone() {
    let arguments = [
        "--listen",
        "127.0.0.1:0",
        "--database-url",
        postgres::url(),
        "--schema",
        "information_schema",
    ];
    let mut child = doubletap(&arguments).spawn().unwrap();
    let mut text = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    assert_eq!(ends(&mut child), Some(2));
    assert!(text.contains("information_schema"), "{text}");
}
