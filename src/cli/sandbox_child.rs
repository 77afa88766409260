//! The built-in sandbox as a child process: started on a free loopback port, gone when its standard input closes.
//! It must not know what is tested on it.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

/// How long its work takes: an API that answers at once is never doing two things at a time, and its races show nothing.
pub const WORK: &str = "5ms";
/// How long the child may take to end by itself.
const PATIENCE: Duration = Duration::from_secs(5);

/// A running sandbox.
#[derive(Debug)]
pub struct SandboxChild {
    child: Child,
    stdin: Option<ChildStdin>,
    /// Where its replicas listen.
    pub urls: Vec<String>,
    /// The schema that holds its tables, where it keeps them in PostgreSQL.
    pub schema: Option<String>,
}

/// What sandbox is wanted.
#[derive(Clone, Debug, Default)]
pub struct Wanted<'w> {
    /// Its design.
    pub design: &'w str,
    /// Faults, as typed.
    pub faults: &'w [String],
    /// The database for its tables.
    pub database_url: Option<&'w str>,
    /// How long it keeps keys, where not as usual.
    pub retention: Option<&'w str>,
    /// How long a claim stands, where not as its design has it.
    pub lease: Option<&'w str>,
    /// How many replicas it has; 0 is one.
    pub replicas: u32,
}

/// A sandbox that did not start.
#[derive(Debug, thiserror::Error)]
#[error("the built-in sandbox did not start: {0}")]
pub struct SandboxError(String);

impl SandboxChild {
    /// Starts this program's own `sandbox` and waits until it listens.
    ///
    /// # Errors
    /// What the sandbox said, where it ended instead.
    pub fn start(wanted: &Wanted<'_>) -> Result<Self, SandboxError> {
        let failed = |error: std::io::Error| SandboxError(error.to_string());
        let program = std::env::current_exe().map_err(failed)?;
        let mut command = Command::new(program);
        command
            .args(["sandbox", "--listen", "127.0.0.1:0", "--exit-with-stdin"])
            .args(["--design", wanted.design, "--work-delay", WORK])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let replicas = wanted.replicas.max(1);
        if replicas > 1 {
            command.args(["--replicas", &replicas.to_string()]);
        }
        if let Some(retention) = wanted.retention {
            command.args(["--retention", retention]);
        }
        if let Some(lease) = wanted.lease {
            command.args(["--lease", lease]);
        }
        for fault in wanted.faults {
            command.args(["--fault", fault]);
        }
        if let Some(url) = wanted.database_url {
            // not among the arguments, where every user of the machine could read the password
            command.env("DOUBLETAP_SANDBOX_DATABASE_URL", url);
        }
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt;
            // Ctrl-C is for the run: the sandbox answers until the run has ended
            command.process_group(0);
        }
        let mut child = command.spawn().map_err(failed)?;
        let stdin = child.stdin.take();
        let out = child.stdout.take();
        let mut this = Self {
            child,
            stdin,
            urls: Vec::new(),
            schema: None,
        };
        for line in out.into_iter().flat_map(|out| BufReader::new(out).lines()) {
            let line = line.map_err(failed)?;
            if let Some(schema) = line.strip_prefix("schema ") {
                this.schema = Some(schema.to_owned());
            }
            if let Some(url) = line.strip_prefix("listening on ") {
                this.urls.push(url.to_owned());
                if this.urls.len() == replicas as usize {
                    return Ok(this);
                }
            }
        }
        Err(SandboxError(this.last_words()))
    }

    /// What it said before it ended.
    fn last_words(&mut self) -> String {
        let mut said = String::new();
        if let Some(mut err) = self.child.stderr.take() {
            // a text that cannot be read is as good as none
            let _ = err.read_to_string(&mut said);
        }
        let said = said.trim().trim_start_matches("error: ");
        if said.is_empty() {
            "it ended without a word".to_owned()
        } else {
            said.to_owned()
        }
    }
}

impl Drop for SandboxChild {
    fn drop(&mut self) {
        drop(self.stdin.take());
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            match self.child.try_wait() {
                Ok(None) => std::thread::sleep(Duration::from_millis(10)),
                Ok(Some(_)) | Err(_) => return,
            }
        }
        // it was asked and did not go
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
