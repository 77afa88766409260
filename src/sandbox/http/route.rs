//! Paths and methods: which operation or listing a request means.
//! Must not know what an operation does.

use crate::sandbox::store::effect::Kind;

/// What has an effect, and therefore takes a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    /// `POST /payments`, or `PUT`.
    Pay,
    /// `POST /refunds`, or `PUT`.
    Refund,
    /// `POST /payments/ID/refunds`.
    RefundPayment(String),
    /// `POST /payments/ID/capture`.
    Capture(String),
    /// `POST /payments/ID/cancel`.
    Cancel(String),
    /// `POST /receipts`, or `PUT`.
    Receipt,
    /// `PATCH /payments/ID`.
    Change(String),
    /// A path that a policy names: another way to make a payment.
    Declared {
        /// The path as the policy writes it.
        path: String,
        /// The ids in it.
        resource: String,
    },
}

impl Operation {
    /// The route without its ids.
    pub(crate) fn template(&self) -> &str {
        match self {
            Self::Pay => "/payments",
            Self::Refund => "/refunds",
            Self::RefundPayment(_) => "/payments/:id/refunds",
            Self::Capture(_) => "/payments/:id/capture",
            Self::Cancel(_) => "/payments/:id/cancel",
            Self::Receipt => "/receipts",
            Self::Change(_) => "/payments/:id",
            Self::Declared { path, .. } => path,
        }
    }

    /// What it makes.
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Pay | Self::Declared { .. } => Kind::Payment,
            Self::Refund | Self::RefundPayment(_) => Kind::Refund,
            Self::Capture(_) => Kind::Capture,
            Self::Cancel(_) => Kind::Cancellation,
            Self::Receipt => Kind::Receipt,
            Self::Change(_) => Kind::Change,
        }
    }

    /// The id in the path.
    pub(crate) fn resource(&self) -> Option<&str> {
        match self {
            Self::RefundPayment(id) | Self::Capture(id) | Self::Cancel(id) | Self::Change(id) => {
                Some(id)
            }
            Self::Declared { resource, .. } => Some(resource),
            Self::Pay | Self::Refund | Self::Receipt => None,
        }
    }
}

/// What a request means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// Something with an effect.
    Do(Operation),
    /// A list.
    List(Kind),
    /// One payment.
    Show(String),
    /// `PUT /payments/ID`.
    Replace(String),
    /// `DELETE /payments/ID`.
    Delete(String),
    /// `POST /_sandbox/expire`.
    Expire,
    /// `GET /_sandbox/downstream`.
    Downstream,
    /// A known path with another method; the text lists those that it takes.
    WrongMethod(&'static str),
    /// Nothing is there.
    Unknown,
}

/// Reads method and path.
pub(crate) fn route(method: &str, path: &str) -> Route {
    let method = if method == "HEAD" { "GET" } else { method };
    let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    match segments.as_slice() {
        ["_sandbox", "expire"] => only("POST", method, Route::Expire),
        ["_sandbox", "downstream"] => only("GET", method, Route::Downstream),
        ["payments", id, "refunds"] => only(
            "POST",
            method,
            Route::Do(Operation::RefundPayment((*id).into())),
        ),
        ["payments", id, "capture"] => {
            only("POST", method, Route::Do(Operation::Capture((*id).into())))
        }
        ["payments", id, "cancel"] => {
            only("POST", method, Route::Do(Operation::Cancel((*id).into())))
        }
        ["payments", id] if !id.is_empty() => match method {
            "GET" => Route::Show((*id).into()),
            "PUT" => Route::Replace((*id).into()),
            "PATCH" => Route::Do(Operation::Change((*id).into())),
            "DELETE" => Route::Delete((*id).into()),
            _ => Route::WrongMethod("GET, PUT, PATCH, DELETE"),
        },
        [table] => collection(method, table),
        _ => Route::Unknown,
    }
}

fn only(right: &'static str, method: &str, route: Route) -> Route {
    if method == right {
        route
    } else {
        Route::WrongMethod(right)
    }
}

fn collection(method: &str, table: &str) -> Route {
    let Some(kind) = Kind::ALL.into_iter().find(|kind| kind.table() == table) else {
        return Route::Unknown;
    };
    let operation = match kind {
        Kind::Payment => Some(Operation::Pay),
        Kind::Refund => Some(Operation::Refund),
        Kind::Receipt => Some(Operation::Receipt),
        Kind::Capture | Kind::Cancellation | Kind::Change => None,
    };
    match (method, operation) {
        ("GET", _) => Route::List(kind),
        // PUT makes a new one as POST does, so that a key can meet the same body under another method.
        ("POST" | "PUT", Some(operation)) => Route::Do(operation),
        (_, Some(_)) => Route::WrongMethod("GET, POST, PUT"),
        (_, None) => Route::WrongMethod("GET"),
    }
}
