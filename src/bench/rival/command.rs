//! Tools that send one burst a call: the shell loop that everybody writes, curl by itself, xargs, oha and hey.
//! It must not know how arrivals are measured.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::bench::sender::{BODY, Http, Sender, Sent, Task};

/// How a burst is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invocation {
    /// `for i in ...; do curl ... & done; wait`
    ShellLoop,
    /// `curl --parallel URL URL URL`
    CurlParallel,
    /// `seq N | xargs -P N curl`
    Xargs,
    /// `oha -n N -c N`
    Oha,
    /// `hey -n N -c N`
    Hey,
    /// `h2load -n N -c 1 -m N`
    H2load,
}

/// A tool.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    invocation: Invocation,
    http: Http,
}

impl Tool {
    /// A tool that speaks a protocol.
    #[must_use]
    pub fn new(invocation: Invocation, http: Http) -> Self {
        Self { invocation, http }
    }

    fn command(self, url: &str, key: &str, copies: u32, body_file: &str) -> Command {
        let key = format!("Idempotency-Key: {key}");
        let kind = "Content-Type: application/json";
        let n = copies.to_string();
        let curl = ["-s", "-o", "/dev/null", "-X", "POST"];
        let request = ["-H", &key, "-H", kind, "-d", BODY];
        match self.invocation {
            Invocation::ShellLoop => {
                let mut command = Command::new("sh");
                let text = "n=$1; shift; i=0; while [ $i -lt $n ]; do curl \"$@\" & i=$((i+1)); done; wait";
                command.args(["-c", text, "sh", &n]);
                command.args(curl).args(request).arg(url);
                command
            }
            Invocation::Xargs => {
                let mut command = Command::new("sh");
                let text = "n=$1; shift; seq $n | xargs -P $n -I {} curl \"$@\"";
                command.args(["-c", text, "sh", &n]);
                command.args(curl).args(request).arg(url);
                command
            }
            Invocation::CurlParallel => {
                let mut command = Command::new("curl");
                command.args(["-s", "-X", "POST", "--parallel", "--parallel-max", &n]);
                // without it copies wait for each other's connection, and get lost there on HTTP/2 without TLS (seen with 7.88.1)
                command.arg("--parallel-immediate");
                command.arg(match self.http {
                    Http::One => "--http1.1",
                    Http::Two => "--http2-prior-knowledge",
                });
                command.args(request);
                for _ in 0..copies {
                    command.args(["-o", "/dev/null", url]);
                }
                command
            }
            Invocation::Oha => {
                let mut command = Command::new("oha");
                command.args(["--no-tui", "-n", &n, "-m", "POST"]);
                match self.http {
                    Http::One => command.args(["-c", &n]),
                    Http::Two => command.args(["--http2", "-c", "1", "-p", &n]),
                };
                command.args(request).arg(url);
                command
            }
            Invocation::H2load => {
                let mut command = Command::new("h2load");
                command.args(["-n", &n, "-c", "1", "-m", &n]);
                command
                    .args(["-H", &key, "-H", kind, "-d", body_file])
                    .arg(url);
                command
            }
            Invocation::Hey => {
                let mut command = Command::new("hey");
                command.args(["-n", &n, "-c", &n, "-m", "POST"]);
                command.args(request).arg(url);
                command
            }
        }
    }
}

impl Sender for Tool {
    fn name(&self) -> String {
        match self.invocation {
            Invocation::ShellLoop => "curl in a shell loop",
            Invocation::CurlParallel => "curl --parallel",
            Invocation::Xargs => "xargs -P with curl",
            Invocation::Oha => "oha",
            Invocation::Hey => "hey",
            Invocation::H2load => "h2load",
        }
        .to_owned()
    }

    fn http(&self) -> Http {
        self.http
    }

    fn send(&mut self, task: &Task<'_>) -> Result<Sent, String> {
        let url = format!("http://{}{}", task.address, task.path);
        let failed = |error: std::io::Error| format!("{} cannot be run: {error}", self.name());
        // h2load takes the body from a file
        let mut file = tempfile::NamedTempFile::new().map_err(failed)?;
        file.write_all(BODY.as_bytes()).map_err(failed)?;
        let body_file = file.path().display().to_string();
        for round in 0..task.rounds {
            if Instant::now() >= task.until {
                break;
            }
            let mut command = self.command(&url, &task.key(round), task.copies, &body_file);
            command
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .env_remove("http_proxy");
            command.status().map_err(failed)?;
        }
        Ok(Sent::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curl_is_given_one_address_a_copy() {
        let tool = Tool::new(Invocation::CurlParallel, Http::Two);
        let command = tool.command("http://x/", "k", 3, "");
        let urls = command.get_args().filter(|arg| *arg == "http://x/");
        assert_eq!(urls.count(), 3);
    }
}
