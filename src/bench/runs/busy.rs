//! Something else to do for every core, as on a build machine.
//! It must not know what is measured meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// Threads that spin until this is dropped.
#[derive(Debug)]
pub struct Busy {
    enough: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

/// One spinning thread a core.
#[must_use]
pub fn every_core() -> Busy {
    let enough: Arc<AtomicBool> = Arc::default();
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = (0..cores)
        .map(|_| {
            let enough = Arc::clone(&enough);
            std::thread::spawn(move || {
                while !enough.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            })
        })
        .collect();
    Busy { enough, threads }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.enough.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // a thread that spins does not panic
            let _ = thread.join();
        }
    }
}
