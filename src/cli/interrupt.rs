//! Ctrl-C and SIGTERM: the first asks the run to end, the second ends the program.
//! It must not know what is running.

#![expect(clippy::exit, reason = "a second Ctrl-C must not wait for anything")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use crate::exit;

static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// The flag that an interruption sets. The handler is installed once for the whole program.
#[must_use]
pub fn flag() -> Arc<AtomicBool> {
    let flag = FLAG.get_or_init(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let set = Arc::clone(&flag);
        // without a handler Ctrl-C ends the program at once; the journal is whole up to its last line either way
        let _ = ctrlc::set_handler(move || {
            if set.swap(true, Ordering::SeqCst) {
                std::process::exit(i32::from(exit::INTERRUPTED));
            }
        });
        flag
    });
    Arc::clone(flag)
}
