//! What an operation would do: the effect to write and the reply to give, or the refusal of a bad request.
//! Must not write anything.

use bytes::Bytes;
use serde_json::{Value, json};

use crate::sandbox::fingerprint;
use crate::sandbox::http::reply::Reply;
use crate::sandbox::http::request::Request;
use crate::sandbox::http::route::Operation;
use crate::sandbox::store::effect::{Effect, Filter, Kind};
use crate::sandbox::store::{Session, Stored};

/// The size of a receipt.
const RECEIPT: usize = 256 * 1024;
/// Beyond it a JSON number is no exact integer.
const MOST: i64 = 9_007_199_254_740_991;

/// What is to be done.
pub(super) struct Plan {
    pub(super) effect: Effect,
    pub(super) reply: Reply,
    pub(super) change: Option<Change>,
}

/// A new note for a payment.
pub(super) struct Change {
    pub(super) payment: String,
    pub(super) note: Option<String>,
}

/// A provider's own path takes the provider's own body, of which only the members that we know are looked at.
fn is_declared(request: &Request) -> bool {
    matches!(request.operation, Operation::Declared { .. })
}

/// Plans the work, or refuses.
pub(super) async fn plan(session: &mut Session, request: &Request) -> Stored<Result<Plan, Reply>> {
    if let Err(why) = &request.document
        && !(is_declared(request) && why.starts_with("send "))
    {
        let status = if why.starts_with("send ") { 415 } else { 400 };
        return Ok(Err(Reply::problem(status, why)));
    }
    let payment = match payment_meant(request) {
        None => None,
        Some(id) => match find(session, &request.account, &id).await? {
            Some(payment) => Some(payment),
            None => return Ok(Err(Reply::problem(404, "no such payment"))),
        },
    };
    Ok(plan_with(request, payment))
}

/// The payment of that account, unless it was deleted.
pub(crate) async fn find(session: &mut Session, account: &str, id: &str) -> Stored<Option<Effect>> {
    let filter = Filter {
        id: Some(id.to_owned()),
        ..Filter::default()
    };
    let found = session.list(Kind::Payment, account, &filter).await?;
    Ok(found.into_iter().find(|payment| !payment.deleted))
}

fn payment_meant(request: &Request) -> Option<String> {
    let in_body = || {
        request
            .member("payment")
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    match &request.operation {
        Operation::Refund => in_body(),
        Operation::Pay | Operation::Receipt | Operation::Declared { .. } => None,
        named => named.resource().map(str::to_owned),
    }
}

fn plan_with(request: &Request, payment: Option<Effect>) -> Result<Plan, Reply> {
    let kind = request.operation.kind();
    let effect = Effect {
        kind,
        id: kind.fresh_id(),
        account: request.account.clone(),
        key: request.key.clone(),
        reference: request.reference(),
        amount: amount(request, kind, payment.as_ref())?,
        currency: currency(request, kind, payment.as_ref())?,
        payment: payment.as_ref().map(|payment| payment.id.clone()),
        note: note(request)?,
        version: 1,
        deleted: false,
        safety_net: None,
        body_hash: fingerprint::hash(&request.canonical_body()),
    };
    let (reply, change) = match (kind, payment) {
        (Kind::Change, Some(payment)) => changed(request, payment)?,
        (Kind::Cancellation, _) => (Reply::empty(204), None),
        (Kind::Receipt, _) => (receipt(&effect), None),
        _ => (created(&effect), None),
    };
    Ok(Plan {
        effect,
        reply,
        change,
    })
}

fn created(effect: &Effect) -> Reply {
    let status = if effect.kind == Kind::Capture {
        "captured"
    } else {
        "succeeded"
    };
    Reply::json(201, &effect.to_json(status)).with(
        "Location",
        format!("/{}/{}", effect.kind.table(), effect.id),
    )
}

fn receipt(effect: &Effect) -> Reply {
    Reply::empty(201)
        .with("Content-Type", "application/octet-stream")
        .with("X-Receipt-Id", effect.id.clone())
        .containing(unguessable(RECEIPT))
}

/// A PATCH: the note as it will be, unless the client has an older version in mind.
fn changed(request: &Request, mut payment: Effect) -> Result<(Reply, Option<Change>), Reply> {
    if let Some(wanted) = &request.if_match
        && wanted != "*"
        && *wanted != payment.etag()
    {
        return Err(Reply::problem(412, "the payment has changed since"));
    }
    if request.member("note").is_some() {
        payment.note = note(request)?;
    }
    payment.version += 1;
    let reply = Reply::json(200, &payment.to_json("succeeded")).with("ETag", payment.etag());
    let change = Change {
        payment: payment.id,
        note: payment.note,
    };
    Ok((reply, Some(change)))
}

fn amount(request: &Request, kind: Kind, payment: Option<&Effect>) -> Result<Option<i64>, Reply> {
    let refusal = || Reply::problem(400, "amount must be a positive integer");
    let Some(given) = request.member("amount") else {
        return match kind {
            Kind::Payment if is_declared(request) => Ok(None),
            Kind::Payment | Kind::Refund | Kind::Receipt => Err(refusal()),
            Kind::Capture => Ok(payment.and_then(|payment| payment.amount)),
            Kind::Cancellation | Kind::Change => Ok(None),
        };
    };
    let number = match given {
        Value::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?)),
        Value::String(text) => text.parse().ok(),
        _ => None,
    };
    let positive = number.filter(|number| (1..=MOST).contains(number));
    positive.map(Some).ok_or_else(refusal)
}

/// `1.0` is the integer 1.
fn whole(number: f64) -> Option<i64> {
    // The text of a whole float has no fraction, and none in range has an exponent.
    (number.fract() == 0.0).then(|| format!("{number:.0}").parse().ok())?
}

fn currency(
    request: &Request,
    kind: Kind,
    payment: Option<&Effect>,
) -> Result<Option<String>, Reply> {
    let needed = matches!(kind, Kind::Payment | Kind::Receipt) && !is_declared(request);
    match request.member("currency") {
        None if needed => Err(Reply::problem(400, "currency is missing")),
        None => Ok(payment.and_then(|payment| payment.currency.clone())),
        Some(Value::String(code))
            if code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_alphabetic()) =>
        {
            Ok(Some(code.clone()))
        }
        Some(_) => Err(Reply::problem(400, "currency must be three letters")),
    }
}

/// The note of the body; `null` takes it away.
pub(crate) fn note(request: &Request) -> Result<Option<String>, Reply> {
    match request.member("note") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(note)) => Ok(Some(note.clone())),
        Some(_) => Err(Reply::problem(400, "note must be a text")),
    }
}

/// Bytes that nobody knows beforehand.
fn unguessable(length: usize) -> Bytes {
    let (mut state, other) = uuid::Uuid::new_v4().as_u64_pair();
    state |= 1;
    let mut bytes = Vec::with_capacity(length + 8);
    while bytes.len() < length {
        // xorshift64*: cheap, and its seed is 63 random bits.
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        let word = state.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ other;
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    bytes.truncate(length);
    Bytes::from(bytes)
}

/// A payment as `GET` shows it.
pub(crate) fn shown(payment: &Effect, status: &str) -> Value {
    let mut shown = payment.to_json(status);
    if let Some(members) = shown.as_object_mut() {
        members.insert("version".to_owned(), json!(payment.version));
    }
    shown
}
