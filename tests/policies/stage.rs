//! Where policies are tried: a sandbox that behaves by one, and a run of drills on it that is judged by the same or another one.
//! It must not know what any drill should say.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::thread;

use doubletap::bundled;
use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_doubletap");
/// As many sandboxes run side by side: most of a drill's time is waiting.
const SIDE_BY_SIDE: usize = 8;
/// What is run.
const SUITES: [&str; 5] = ["drill", "syntax", "storage", "scope", "fingerprint"];

/// What one run said: its exit code, and the verdict of each drill with the reason.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) drills: BTreeMap<String, (String, String)>,
    pub(crate) errors: String,
}

impl Said {
    /// The verdict of a drill of the operation `payment`.
    pub(crate) fn verdict(&self, drill: &str) -> &str {
        let found = self.drills.get(&format!("{drill}@payment"));
        found.map_or("not there", |(verdict, _)| verdict)
    }

    /// The drills with one of these verdicts, as `id: reason`, ids without their operation.
    pub(crate) fn with(&self, verdicts: &[&str]) -> BTreeMap<&str, &str> {
        let drills = self.drills.iter();
        drills
            .filter(|(_, (verdict, _))| verdicts.contains(&verdict.as_str()))
            .map(|(id, (_, reason))| (id.split('@').next().unwrap(), reason.as_str()))
            .collect()
    }
}

/// A sandbox, ended with the test.
struct Sandbox(Child);

impl Sandbox {
    fn start(policy: &str, set: &[String]) -> (Self, String) {
        let mut command = Command::new(PROGRAM);
        command
            .args(["sandbox", "--policy", policy, "--listen", "127.0.0.1:0"])
            // an API that answers at once is never doing two things at a time
            .args(["--work-delay", "10ms", "--exit-with-stdin"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        for clause in set {
            command.args(["--set", clause]);
        }
        let mut child = command.spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let this = Self(child);
        let line = out.lines().next();
        let line = line
            .unwrap_or_else(|| panic!("no sandbox under {policy} with {set:?}"))
            .unwrap();
        let url = line.strip_prefix("listening on ").unwrap();
        (this, url.to_owned())
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// Runs the drills, judged by a policy, on a sandbox under that policy with some clauses declared otherwise.
pub(crate) fn run(policy: &str, set: &[String]) -> Said {
    let (_sandbox, url) = Sandbox::start(policy, set);
    let in_form = bundled::policy(policy).is_some_and(|(_, text)| text.contains("in = { form ="));
    let target = if in_form { "policy-form" } else { "policy" };
    let state = tempfile::tempdir().unwrap();
    let mut command = Command::new(PROGRAM);
    command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .arg("run")
        .arg(format!("fixtures/targets/{target}.toml"))
        .args(["--operation", "payment", "--rounds", "2", "--copies", "4"])
        // nothing here is in progress for longer, and what is never recorded shows after it
        .args(["--set", "in-progress-for=2s", "--format", "json"])
        .args(SUITES.iter().flat_map(|suite| ["--suite", suite]))
        .env("SANDBOX_URL", url)
        .env("SANDBOX_POLICY", policy)
        // how long a key is kept is tried elsewhere
        .env("DOUBLETAP_KEY_AGE", "0s")
        .env("XDG_STATE_HOME", state.path());
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{policy}: no report ({error}): {errors}"));
    let text = |drill: &Value, field: &str| drill[field].as_str().unwrap().to_owned();
    let drills = report["drills"].as_array().unwrap().iter();
    Said {
        code: output.status.code().unwrap(),
        drills: drills
            .map(|drill| {
                let said = (text(drill, "verdict"), text(drill, "reason"));
                (text(drill, "id"), said)
            })
            .collect(),
        errors,
    }
}

/// Does the same with every item, some side by side; the answers come in the items' order.
pub(crate) fn side_by_side<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let left = Mutex::new(items.iter().enumerate());
    let done = Mutex::new(BTreeMap::new());
    thread::scope(|scope| {
        for _ in 0..SIDE_BY_SIDE {
            scope.spawn(|| {
                loop {
                    let next = left.lock().unwrap().next();
                    let Some((number, item)) = next else { return };
                    let answer = work(item);
                    done.lock().unwrap().insert(number, answer);
                }
            });
        }
    });
    done.into_inner().unwrap().into_values().collect()
}
