//! Commands of the target (counters, hooks, expiry): run with their environment, never longer than they may, nothing left behind.
//! It must not know what their output means.

use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::config::target::CommandLine;

/// What is kept of a command's output.
const OUTPUT_CAP: usize = 64 * 1024;

/// A command that ended, or was made to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Its exit code; `None` where it did not end by itself.
    pub exit: Option<i32>,
    /// What it printed.
    pub stdout: String,
    /// What it complained.
    pub stderr: String,
    /// Why there is no exit code.
    pub why: Option<String>,
}

impl Ended {
    fn never(why: String) -> Self {
        Self {
            exit: None,
            stdout: String::new(),
            stderr: String::new(),
            why: Some(why),
        }
    }

    /// The end of what it printed, for a reader.
    #[must_use]
    pub fn tail(&self) -> String {
        let all = format!("{}{}", self.stdout, self.stderr);
        let all = all.trim();
        let start = all.len().saturating_sub(2_000);
        let start = (start..=all.len()).find(|at| all.is_char_boundary(*at));
        all[start.unwrap_or(0)..].to_owned()
    }
}

/// Runs a command in a process group of its own, so that its children end with it.
#[must_use]
pub fn run(line: &CommandLine, env: &[(String, String)]) -> Ended {
    let Some((program, arguments)) = line.argv.split_first() else {
        return Ended::never("the command is empty".to_owned());
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    for (name, value) in env {
        // an environment cannot hold a zero byte; a key that has one is left out
        if !value.contains('\0') {
            command.env(name, value);
        }
    }
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return Ended::never(format!("`{program}` cannot be run: {error}")),
    };
    let stdout = collect(child.stdout.take());
    let stderr = collect(child.stderr.take());
    let deadline = Instant::now() + line.timeout.0;
    let (exit, why) = loop {
        match child.try_wait() {
            Ok(Some(status)) => {
                let why = status
                    .code()
                    .is_none()
                    .then(|| format!("it ended by itself without an exit code: {status}"));
                break (status.code(), why);
            }
            Ok(None) if Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(2));
            }
            Ok(None) => {
                break (
                    None,
                    Some(format!(
                        "it did not end within {} and was ended",
                        line.timeout
                    )),
                );
            }
            Err(error) => break (None, Some(format!("its end cannot be seen: {error}"))),
        }
    };
    end_group(&mut child);
    // a child that left the group may hold the pipe open: what has come by now is what counts
    let wait = Duration::from_millis(500);
    Ended {
        exit,
        stdout: stdout.recv_timeout(wait).unwrap_or_default(),
        stderr: stderr.recv_timeout(wait).unwrap_or_default(),
        why,
    }
}

#[cfg(unix)]
fn end_group(child: &mut std::process::Child) {
    use nix::sys::signal::{Signal, killpg};
    use nix::unistd::Pid;
    if let Ok(group) = i32::try_from(child.id()) {
        // nobody left in the group is the usual case
        let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
    }
    let _ = child.wait();
}

#[cfg(not(unix))]
fn end_group(child: &mut std::process::Child) {
    let _ = child.kill();
    let _ = child.wait();
}

fn collect(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<String> {
    let (done, text) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe
                .by_ref()
                .take(OUTPUT_CAP as u64)
                .read_to_end(&mut bytes);
            let _ = done.send(String::from_utf8_lossy(&bytes).into_owned());
            // a command that prints on must not stop at a full pipe
            let _ = std::io::copy(&mut pipe, &mut std::io::sink());
        }
    });
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Length;

    fn shell(text: &str, timeout: Length) -> Ended {
        let line = CommandLine {
            argv: vec!["/bin/sh".into(), "-c".into(), text.into()],
            timeout,
        };
        run(&line, &[("DOUBLETAP_KEY".to_owned(), "k 1".to_owned())])
    }

    #[test]
    fn a_command_gets_its_environment_and_gives_its_output_and_exit_code() {
        let ended = shell(
            "echo \"$DOUBLETAP_KEY\"; echo no >&2; exit 3",
            Length::seconds(10),
        );
        assert_eq!(ended.exit, Some(3));
        assert_eq!(ended.stdout, "k 1\n");
        assert_eq!(ended.stderr, "no\n");
    }

    #[test]
    fn a_command_that_does_not_end_is_ended_with_its_children() {
        let directory = tempfile::tempdir().unwrap();
        let mark = directory.path().join("mark");
        let began = Instant::now();
        let text = format!("(sleep 2; touch {}) & sleep 60", mark.display());
        let ended = shell(&text, Length::millis(300));
        assert_eq!(ended.exit, None);
        assert!(ended.why.unwrap().contains("300ms"));
        assert!(began.elapsed() < Duration::from_secs(30));
        std::thread::sleep(Duration::from_millis(2_500));
        assert!(!mark.exists(), "the child lived on");
    }

    #[test]
    fn a_command_that_is_not_there_says_so() {
        let line = CommandLine {
            argv: vec!["/no/such/program".into()],
            timeout: Length::seconds(1),
        };
        let ended = run(&line, &[]);
        assert!(ended.why.unwrap().contains("/no/such/program"));
    }

    #[test]
    fn endless_output_is_cut_and_does_not_stop_the_command() {
        let ended = shell("yes | head -c 1000000; exit 0", Length::seconds(20));
        assert_eq!(ended.exit, Some(0));
        assert_eq!(ended.stdout.len(), OUTPUT_CAP);
        assert!(ended.tail().len() <= 2_000);
    }
}
