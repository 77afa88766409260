//! A temporary PostgreSQL cluster, one for each test process, or the one named by `DOUBLETAP_TEST_DATABASE_URL`.
//! Must not skip anything: without PostgreSQL the tests that want it fail and say so.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

/// Names a running cluster to use instead of one of our own (for runners with one process a test).
pub const VARIABLE: &str = "DOUBLETAP_TEST_DATABASE_URL";

/// Makes a cluster in `$DATA`, serves it on `$PORT`, and takes all away when its standard input is closed. That
/// happens when the test process ends, however it ends.
const SUPERVISOR: &str = r#"
as_server() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; else "$@"; fi; }
stop() { as_server "$BIN/pg_ctl" -D "$DATA/db" -m immediate -w stop; cd /; rm -rf "$DATA"; }
cd "$DATA" || exit 1
if [ "$(id -u)" = 0 ]; then chown postgres "$DATA"; fi
{
  as_server "$BIN/initdb" -D "$DATA/db" -U doubletap -A trust -E UTF8 --locale=C --no-sync &&
  as_server "$BIN/pg_ctl" -D "$DATA/db" -l "$DATA/log" -w -t 60 -o "-p $PORT -k $DATA -c listen_addresses=127.0.0.1 \
    -c fsync=off -c synchronous_commit=off -c full_page_writes=off -c max_connections=400 -c shared_buffers=64MB" start
} >"$DATA/setup" 2>&1 || { echo failed; tail -n 5 "$DATA/setup" "$DATA/log" 2>/dev/null; echo end; rm -rf "$DATA"; exit 1; }
trap stop EXIT
trap '' INT
echo ready
exec >/dev/null 2>&1
cat
"#;

struct Cluster {
    url: String,
    /// Its standard input is open for as long as this process lives.
    _supervisor: Option<Child>,
}

/// A database that tests may make schemas in.
///
/// # Panics
/// If there is no PostgreSQL, or it cannot be started.
pub fn url() -> &'static str {
    static CLUSTER: OnceLock<Cluster> = OnceLock::new();
    let cluster = CLUSTER.get_or_init(|| match std::env::var(VARIABLE) {
        Ok(url) if !url.is_empty() => Cluster {
            url,
            _supervisor: None,
        },
        _ => start(&programs()),
    });
    &cluster.url
}

fn start(programs: &Path) -> Cluster {
    let mut why = String::new();
    // The port is free when it is chosen; another process may be faster once in a while.
    for _ in 0..3 {
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .expect("no free port")
            .port();
        let data = tempfile::Builder::new()
            .prefix("doubletap-pg-")
            .tempdir()
            .expect("no temporary directory")
            .keep();
        let mut supervisor = Command::new("sh")
            .args(["-c", SUPERVISOR])
            .env("BIN", programs)
            .env("DATA", &data)
            .env("PORT", port.to_string())
            .env_remove("PGOPTIONS")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("no sh");
        let mut said = BufReader::new(supervisor.stdout.take().expect("stdout is piped")).lines();
        if said
            .next()
            .is_some_and(|line| line.is_ok_and(|line| line == "ready"))
        {
            return Cluster {
                url: format!("postgres://doubletap@127.0.0.1:{port}/postgres"),
                _supervisor: Some(supervisor),
            };
        }
        why = said
            .map_while(Result::ok)
            .take_while(|line| line != "end")
            .collect::<Vec<_>>()
            .join("\n");
        let _ = supervisor.wait();
    }
    panic!(
        "PostgreSQL at {} does not start:\n{why}",
        programs.display()
    );
}

/// Where `initdb` and `pg_ctl` are; Debian keeps them off PATH.
fn programs() -> PathBuf {
    let has_all =
        |directory: &Path| directory.join("initdb").exists() && directory.join("pg_ctl").exists();
    let by_config = Command::new("pg_config").arg("--bindir").output();
    let mut candidates: Vec<PathBuf> = by_config
        .ok()
        .filter(|output| output.status.success())
        .map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
        .into_iter()
        .collect();
    if let Ok(versions) = std::fs::read_dir("/usr/lib/postgresql") {
        let mut versions: Vec<PathBuf> = versions.flatten().map(|entry| entry.path()).collect();
        versions.sort();
        candidates.extend(
            versions
                .into_iter()
                .rev()
                .map(|version| version.join("bin")),
        );
    }
    if let Some(path) = std::env::var_os("PATH") {
        candidates.extend(std::env::split_paths(&path));
    }
    candidates.into_iter().find(|directory| has_all(directory)).unwrap_or_else(|| {
        panic!(
            "these tests need PostgreSQL (initdb, pg_ctl): install Debian's `postgresql`, or name a running cluster in {VARIABLE}"
        )
    })
}
