//! Where stories are played: each design that is meant, in memory and on PostgreSQL, one fresh sandbox each.

#![expect(clippy::unwrap_used, reason = "a test that meets an error has failed")]

use std::time::Duration;

use doubletap::sandbox::faults::{self, Selected};
use doubletap::sandbox::{Design, Options};

use super::api::Api;
use crate::support::postgres;

/// How long a slow request takes.
pub const SLOW: &str = "1s";

/// Long enough for a request that was sent to have been claimed, and much shorter than `SLOW`.
pub const MOMENT: Duration = Duration::from_millis(250);

/// Options of a sandbox with these faults.
pub fn options(design: Design, on_postgres: bool, faults: &[&str]) -> Options {
    Options {
        design,
        faults: faults
            .iter()
            .map(|fault| fault.parse::<Selected>().unwrap())
            .collect(),
        database_url: on_postgres.then(|| postgres::url().to_owned()),
        ..Options::default()
    }
}

/// Runs a story on both right designs, in memory and on PostgreSQL.
pub async fn on_right_designs(story: impl AsyncFn(&Api)) {
    on_right_designs_with(|_| {}, story).await;
}

/// The same with other options.
pub async fn on_right_designs_with(change: impl Fn(&mut Options), story: impl AsyncFn(&Api)) {
    for &design in Design::right() {
        tell(design, &[], &change, &story).await;
    }
}

/// Runs a story wherever the fault applies, in memory and on PostgreSQL.
pub async fn with_fault(fault: &str, story: impl AsyncFn(&Api)) {
    with_fault_and(fault, |_| {}, story).await;
}

/// The same with other options.
pub async fn with_fault_and(fault: &str, change: impl Fn(&mut Options), story: impl AsyncFn(&Api)) {
    let name = fault.split('=').next().unwrap();
    let known = faults::all().iter().find(|known| known.name == name);
    for &design in known.expect("no such fault").designs {
        tell(design, &[fault], &change, &story).await;
    }
}

/// Runs a story on one design, in memory and on PostgreSQL.
pub async fn on_design(design: Design, change: impl Fn(&mut Options), story: impl AsyncFn(&Api)) {
    tell(design, &[], &change, &story).await;
}

async fn tell(
    design: Design,
    faults: &[&str],
    change: &impl Fn(&mut Options),
    story: &impl AsyncFn(&Api),
) {
    let on = async |on_postgres| {
        let mut options = options(design, on_postgres, faults);
        change(&mut options);
        let api = Api::start(options).await;
        story(&api).await;
        api.running.stop().await.unwrap();
    };
    tokio::join!(on(false), on(true));
}
