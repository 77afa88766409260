//! From an HTTP request to a reply: credentials, key, route, then the design in use.
//! Must not know how keys and effects are kept.

pub(crate) mod body;
mod control;
mod cors;
pub(crate) mod reads;
pub(crate) mod reply;
pub(crate) mod request;
pub(crate) mod route;
mod stream;
mod writes;

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, Response, header};

use super::design;
use super::machine::Machine;
use super::options::parse_duration;
use super::policy;
use super::store::{StoreError, Stored};
use reply::Reply;
use request::{Client, Request};
use route::{Operation, Route, route};

/// The largest body that is read.
const LARGEST: usize = 4 * 1024 * 1024;
/// The longest delay that a client may ask for.
const LONGEST: Duration = Duration::from_secs(120);

/// Answers every request of a replica.
pub(crate) async fn answer(
    State(machine): State<Arc<Machine>>,
    request: axum::http::Request<Body>,
) -> Response<Body> {
    let (parts, body) = request.into_parts();
    if parts.method == Method::OPTIONS {
        return cors::preflight(&machine, parts.uri.path(), &parts.headers).into_response();
    }
    let reply = match to_bytes(body, LARGEST).await {
        Ok(body) => respond(&machine, &parts, body).await,
        Err(_) => Reply::problem(413, "the body could not be read whole"),
    };
    cors::expose(&machine, parts.uri.path(), &parts.headers, reply).into_response()
}

async fn respond(machine: &Arc<Machine>, parts: &Parts, body: bytes::Bytes) -> Reply {
    let (method, path) = (parts.method.as_str(), parts.uri.path());
    let route = match &machine.policy {
        Some(policy) => policy.route(method, path),
        None => route(method, path),
    };
    let answered = match route {
        Route::Unknown => Ok(Reply::problem(404, "nothing is here")),
        Route::WrongMethod(allowed) => {
            Ok(Reply::problem(405, "the method is not allowed here").with("Allow", allowed))
        }
        Route::Expire => control::expire(machine, &body).await,
        Route::Downstream => Ok(control::downstream(machine, parts)),
        Route::Do(operation) => match &machine.policy {
            Some(policy) => policy::perform(machine, policy, parts, body, operation).await,
            None => perform(machine, parts, body, operation).await,
        },
        other => match (account(&parts.headers), &machine.policy) {
            (None, _) => Ok(unauthorized()),
            (Some(account), None) => by_nature(machine, parts, body, account, other).await,
            (Some(account), Some(policy)) => {
                let done = by_nature(machine, parts, body.clone(), account, other);
                policy::by_nature(machine, policy, parts, body, account, done).await
            }
        },
    };
    answered.unwrap_or_else(|error| failed(&error))
}

/// A method that is safe or idempotent by nature.
async fn by_nature(
    machine: &Machine,
    parts: &Parts,
    body: bytes::Bytes,
    account: &str,
    route: Route,
) -> Stored<Reply> {
    match route {
        Route::List(kind) => reads::list(machine, parts, account, kind).await,
        Route::Show(id) => reads::show(machine, parts, account, &id).await,
        Route::Replace(id) => {
            let done = writes::replace(machine, parts, body, account, &id);
            writes::kept(machine, parts, account, done).await
        }
        Route::Delete(id) => {
            let done = writes::delete(machine, parts, account, &id);
            writes::kept(machine, parts, account, done).await
        }
        _ => Ok(Reply::problem(404, "nothing is here")),
    }
}

/// Something with an effect: the key decides whether it runs.
async fn perform(
    machine: &Arc<Machine>,
    parts: &Parts,
    body: bytes::Bytes,
    operation: Operation,
) -> Stored<Reply> {
    let account = account(&parts.headers);
    let key = match (machine.read_key(&lines(&parts.headers)), account) {
        (Ok(key), _) => key,
        // Without credentials nothing is said about the key.
        (Err(_), None) => None,
        (Err(malformed), Some(_)) => return Ok(Reply::problem(400, malformed.detail())),
    };
    let whose = account.unwrap_or_default();
    let request = match request(machine, parts, body, operation, whose, key) {
        Ok(request) => Arc::new(request),
        Err(refusal) => return Ok(refusal),
    };
    let client = request.client.clone();
    let machine = Arc::clone(machine);
    let known = account.is_some();
    detached(client, async move {
        if known {
            run(&machine, &request).await
        } else {
            refuse(&machine, &request).await
        }
    })
    .await
}

/// The request as the work sees it.
pub(crate) fn request(
    machine: &Machine,
    parts: &Parts,
    body: bytes::Bytes,
    operation: Operation,
    account: &str,
    key: Option<String>,
) -> Result<Request, Reply> {
    let delay = match text(&parts.headers, "sandbox-delay").map(|delay| parse_duration(&delay)) {
        None => Duration::ZERO,
        Some(Ok(delay)) => delay.min(LONGEST),
        Some(Err(why)) => return Err(Reply::problem(400, &format!("Sandbox-Delay: {why}"))),
    };
    Ok(Request {
        method: parts.method.to_string(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        operation,
        account: account.to_owned(),
        credential: text(&parts.headers, "authorization").unwrap_or_default(),
        key,
        document: body::members(&parts.headers, &body),
        body,
        if_match: machine.precondition(&parts.headers),
        simulate: text(&parts.headers, "sandbox-simulate"),
        delay,
        client: Client::default(),
    })
}

/// Works in a task of its own: the server drops the future of a client that goes away, and the work goes on.
pub(crate) async fn detached(
    client: Client,
    work: impl Future<Output = Stored<Reply>> + Send + 'static,
) -> Stored<Reply> {
    let presence = client.presence();
    let reply = tokio::spawn(work).await;
    drop(presence);
    reply.unwrap_or_else(|broken| Err(StoreError::Database(broken.to_string())))
}

async fn run(machine: &Machine, request: &Arc<Request>) -> Stored<Reply> {
    let keyed = machine.keyed(request);
    for defect in machine.defects.iter() {
        if let Some(reply) = defect.before(machine, request, keyed.as_ref()).await? {
            return Ok(reply);
        }
    }
    match keyed {
        Some(keyed) => design::run(machine, &keyed).await,
        None if request.key.is_none() && machine.settings.require_key => {
            Ok(Reply::problem(400, "the Idempotency-Key header is missing"))
        }
        None => design::run_without_key(machine, request).await,
    }
}

/// Bad credentials or none: refused, unless a defect has another answer.
async fn refuse(machine: &Machine, request: &Arc<Request>) -> Stored<Reply> {
    let refusal = unauthorized();
    if let Some(keyed) = machine.keyed(request) {
        for defect in machine.defects.iter() {
            if let Some(reply) = defect.refused(machine, &keyed, &refusal).await? {
                return Ok(reply);
            }
        }
    }
    Ok(refusal)
}

/// The lines of the key's header.
fn lines(headers: &HeaderMap) -> Vec<Vec<u8>> {
    let lines = headers.get_all("idempotency-key").iter();
    lines.map(|line| line.as_bytes().to_vec()).collect()
}

/// Whose credentials these are.
pub(crate) fn account(headers: &HeaderMap) -> Option<&'static str> {
    let credentials = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = credentials.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return None;
    }
    match token.trim() {
        "acct-a" | "acct-a2" => Some("acct-a"),
        "acct-b" => Some("acct-b"),
        _ => None,
    }
}

pub(crate) fn unauthorized() -> Reply {
    Reply::problem(401, "send Authorization: Bearer acct-a, acct-a2 or acct-b")
        .with("WWW-Authenticate", "Bearer")
}

fn failed(error: &StoreError) -> Reply {
    match error {
        StoreError::Duplicate => Reply::problem(500, "a unique constraint was violated"),
        StoreError::TooLong | StoreError::Database(_) => Reply::problem(500, "the database failed"),
    }
}

pub(crate) fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}
