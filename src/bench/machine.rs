//! The machine on which something was measured, in words, and how busy it was.
//! It must not know what was measured.

use serde::Serialize;

/// What a figure depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Machine {
    /// The processor.
    pub processor: String,
    /// Cores that this process may use.
    pub cores: usize,
    /// The kernel.
    pub kernel: String,
    /// Processes that wanted to run in the last minute, on average.
    pub load: String,
    /// The day, UTC.
    pub date: String,
    /// Whether this program was built for speed.
    pub release_build: bool,
}

impl Machine {
    /// This one, now.
    #[must_use]
    pub fn here() -> Self {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let cpuinfo = read("/proc/cpuinfo");
        let processor = cpuinfo
            .lines()
            .find_map(|line| line.strip_prefix("model name")?.split_once(": "))
            .map_or("unknown processor", |(_, name)| name.trim());
        let kernel = read("/proc/sys/kernel/osrelease");
        let loads = read("/proc/loadavg");
        Self {
            processor: processor.to_owned(),
            cores: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            kernel: format!("{} {}", std::env::consts::OS, kernel.trim())
                .trim()
                .to_owned(),
            load: loads.split(' ').next().unwrap_or("unknown").to_owned(),
            date: jiff::Timestamp::now().strftime("%Y-%m-%d").to_string(),
            release_build: !cfg!(debug_assertions),
        }
    }

    /// In one line.
    #[must_use]
    pub fn words(&self) -> String {
        let build = if self.release_build {
            "release build"
        } else {
            "DEBUG BUILD: figures of no use"
        };
        format!(
            "{}, {} cores, {}, client and servers on the same machine, load {} at the beginning; {build}; {}",
            self.processor, self.cores, self.kernel, self.load, self.date
        )
    }
}
