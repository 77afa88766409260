//! wrk as a sender: it cannot send one burst, so it loads without a pause and takes a new key every N requests.
//! It must not know how arrivals are measured.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::bench::sender::{BODY, Http, Sender, Sent, Task};

/// wrk.
#[derive(Clone, Copy, Debug)]
pub struct Wrk;

impl Sender for Wrk {
    fn name(&self) -> String {
        "wrk (a key every N requests)".to_owned()
    }

    fn http(&self) -> Http {
        Http::One
    }

    fn send(&mut self, task: &Task<'_>) -> Result<Sent, String> {
        if Instant::now() >= task.until {
            return Ok(Sent::default());
        }
        let failed = |error: std::io::Error| format!("wrk cannot be run: {error}");
        let mut script = tempfile::Builder::new()
            .suffix(".lua")
            .tempfile()
            .map_err(failed)?;
        write!(
            script,
            "local sent = 0\n\
             function request()\n\
               local round = math.floor(sent / {copies})\n\
               sent = sent + 1\n\
               if round >= {rounds} then wrk.thread:stop() end\n\
               return wrk.format('POST', '{path}', {{['Idempotency-Key'] = '{prefix}' .. round,\n\
                 ['Content-Type'] = 'application/json'}}, '{BODY}')\n\
             end\n",
            copies = task.copies,
            rounds = task.rounds,
            path = task.path,
            prefix = task.prefix,
        )
        .map_err(failed)?;
        let connections = task.copies.to_string();
        Command::new("wrk")
            .args(["-t", "1", "-c", &connections, "-d", "1s", "-s"])
            .arg(script.path())
            .arg(format!("http://{}{}", task.address, task.path))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .map_err(failed)?;
        Ok(Sent::default())
    }
}
