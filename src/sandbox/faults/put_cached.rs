//! Replies are stored for every method and found by the key alone: another PUT under a used key is never carried out.
//! Must not touch requests whose first reply was an error, nor a repeat of the same request.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;
use crate::sandbox::http::reply::Reply;

pub(super) const FAULT: Fault = Fault {
    name: "put-cached",
    summary: "Stores the reply to a PUT or DELETE under its key and replays it for another body or resource: the write is lost.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(PutCached::default())),
};

#[derive(Default)]
struct PutCached(Mutex<HashMap<[String; 3], Reply>>);

impl Defect for PutCached {
    fn written(&self, account: &str, method: &str, key: &str) -> Option<Reply> {
        let replies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        replies
            .get(&[account, method, key].map(str::to_owned))
            .cloned()
    }

    fn was_written(&self, account: &str, method: &str, key: &str, reply: &Reply) {
        if reply.status < 400 {
            let mut replies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            replies.insert([account, method, key].map(str::to_owned), reply.clone());
        }
    }
}
