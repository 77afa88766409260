//! A stale `If-Match` beside a key: refused as usual, refused as declared, or not minded.
//! Must not know what is changed.

use super::choice::{Choice, chosen};
use super::perform::Asked;
use super::refusal::{Usual, refuse};
use crate::contract::Contract;
use crate::sandbox::http::reply::Reply;
use crate::sandbox::http::request::Request;

/// The status of a refusal for a precondition that does not hold.
const FAILED: u16 = 412;

/// Takes the precondition away where it is declared that nobody minds it.
pub(super) fn minded(contract: &Contract, request: &mut Request) {
    let answer = chosen(&contract.methods.stale_if_match.value);
    if request.key.is_some() && matches!(answer, Choice::Run | Choice::Accept) {
        request.if_match = None;
    }
}

/// The refusal as it is declared.
pub(super) fn refused(asked: &Asked, reply: Reply) -> Reply {
    let stale = reply.status == FAILED && asked.request.if_match.is_some();
    match chosen(&asked.contract.methods.stale_if_match.value) {
        Choice::Refuse(how) if stale => refuse(
            how,
            Usual {
                status: FAILED,
                detail: "the payment has changed since",
                identity: None,
            },
        ),
        _ => reply,
    }
}
