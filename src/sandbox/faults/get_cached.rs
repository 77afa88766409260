//! Replies are stored for every method, and a GET that carries a key sees the past.
//! Must not touch requests that write.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;
use crate::sandbox::http::reply::Reply;

pub(super) const FAULT: Fault = Fault {
    name: "get-cached",
    summary: "Stores the reply to a GET under its key: a later GET with that key is served stale.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(GetCached::default())),
};

#[derive(Default)]
struct GetCached(Mutex<HashMap<[String; 3], Reply>>);

impl Defect for GetCached {
    fn read(&self, account: &str, target: &str, key: &str) -> Option<Reply> {
        let replies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        replies
            .get(&[account, target, key].map(str::to_owned))
            .cloned()
    }

    fn was_read(&self, account: &str, target: &str, key: &str, reply: &Reply) {
        let mut replies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        replies.insert([account, target, key].map(str::to_owned), reply.clone());
    }
}
