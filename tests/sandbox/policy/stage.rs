//! Where policies are tried: one fresh sandbox in memory and one on PostgreSQL.

#![expect(clippy::unwrap_used, reason = "a test that meets an error has failed")]

use std::time::Duration;

use doubletap::cli::sandbox_policy::declared;
use doubletap::sandbox::Options;

use crate::sandbox::api::{Api, Seen};
use crate::sandbox::stage::MOMENT;
use crate::support::postgres;

/// Runs a story under a policy, in memory and on PostgreSQL.
pub async fn under(policy: &str, story: impl AsyncFn(&Api)) {
    tokio::join!(
        tell(policy, &[], false, &story),
        tell(policy, &[], true, &story)
    );
}

/// Runs a story in memory, under a policy with some clauses declared otherwise.
pub async fn with_clauses(policy: &str, clauses: &[&str], story: impl AsyncFn(&Api)) {
    tell(policy, clauses, false, &story).await;
}

async fn tell(policy: &str, clauses: &[&str], on_postgres: bool, story: &impl AsyncFn(&Api)) {
    let clauses: Vec<String> = clauses.iter().map(|clause| (*clause).to_owned()).collect();
    let options = Options {
        policy: Some(declared(policy, &clauses, None).unwrap()),
        database_url: on_postgres.then(|| postgres::url().to_owned()),
        ..Options::default()
    };
    let api = Api::start(options).await;
    story(&api).await;
    api.running.stop().await.unwrap();
}

/// A slow payment, and another request while it is in progress; both replies.
pub async fn meanwhile(api: &Api, key: &str, other: crate::sandbox::api::Call) -> (Seen, Seen) {
    let first = tokio::spawn(api.pay(key, "slow").slowly("1s").send());
    tokio::time::sleep(MOMENT).await;
    let second = other.send().await;
    (first.await.unwrap(), second)
}

/// Waits a little longer than a record is kept in tests that let it expire by itself.
pub async fn let_expire() {
    tokio::time::sleep(Duration::from_millis(600)).await;
}
