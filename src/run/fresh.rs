//! Fresh keys, references and numbers for what is really sent.
//! It must not be decided by a seed: a key that was used before proves nothing.

use uuid::Uuid;

use crate::plan::intent::Fresh;

/// Chance and the clock.
#[derive(Debug)]
pub struct Chance {
    next: u64,
}

impl Default for Chance {
    /// Numbers begin with the time: two runs against one service must not use the same ones.
    fn default() -> Self {
        let seconds = u64::try_from(jiff::Timestamp::now().as_second()).unwrap_or(0);
        Self {
            next: seconds * 1_000,
        }
    }
}

impl Fresh for Chance {
    fn uuid_v4(&mut self) -> Uuid {
        Uuid::new_v4()
    }

    fn uuid_v7(&mut self) -> Uuid {
        Uuid::now_v7()
    }

    fn next(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn now(&mut self) -> String {
        let now = jiff::Timestamp::now();
        jiff::fmt::rfc2822::DateTimePrinter::new()
            .timestamp_to_rfc9110_string(&now)
            .unwrap_or_else(|_| now.to_string())
    }
}
