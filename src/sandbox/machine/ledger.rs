//! What happened outside the store: calls to the payment provider behind the API, GETs served, simulations used up.
//! Must not know keys' records.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::sandbox::http::request::Request;

/// One call to the provider.
#[derive(Clone, Debug, PartialEq)]
struct Call {
    key: Option<String>,
    reference: Option<String>,
}

/// The ledger of a whole sandbox.
#[derive(Default)]
pub(crate) struct Ledger {
    calls: Mutex<Vec<Call>>,
    used_up: Mutex<HashSet<(String, String, String)>>,
}

impl Ledger {
    /// The provider behind the API is asked to do something.
    pub(crate) fn call_provider(&self, key: Option<&str>, reference: Option<&str>) {
        lock(&self.calls).push(Call {
            key: key.map(str::to_owned),
            reference: reference.map(str::to_owned),
        });
    }

    /// How often it was asked, by key or reference.
    pub(crate) fn provider_calls(&self, key: Option<&str>, reference: Option<&str>) -> usize {
        let fits =
            |wanted: Option<&str>, is: &Option<String>| wanted.is_none() || wanted == is.as_deref();
        let calls = lock(&self.calls);
        calls
            .iter()
            .filter(|call| fits(key, &call.key) && fits(reference, &call.reference))
            .count()
    }

    /// Whether this is the first request of an account and reference (else key) with that simulation.
    pub(crate) fn is_first(&self, request: &Request, simulation: &str) -> bool {
        let what = request.reference().or_else(|| request.key.clone());
        let mark = (
            request.account.clone(),
            what.unwrap_or_default(),
            simulation.to_owned(),
        );
        lock(&self.used_up).insert(mark)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
