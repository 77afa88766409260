//! What the payments API did: one row per effect, in one table per kind.
//! Must not know about keys beyond the text that the request carried.

use serde_json::{Value, json};

/// The kinds of effects, one table each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// `POST /payments`.
    Payment,
    /// `POST /refunds` and `POST /payments/ID/refunds`.
    Refund,
    /// `POST /payments/ID/capture`.
    Capture,
    /// `POST /payments/ID/cancel`.
    Cancellation,
    /// `POST /receipts`.
    Receipt,
    /// `PATCH`, `PUT` and `DELETE` of `/payments/ID`, where something was changed.
    Change,
}

impl Kind {
    /// All kinds.
    pub(crate) const ALL: [Self; 6] = [
        Self::Payment,
        Self::Refund,
        Self::Capture,
        Self::Cancellation,
        Self::Receipt,
        Self::Change,
    ];

    /// The table, and the path that lists it.
    pub(crate) fn table(self) -> &'static str {
        match self {
            Self::Payment => "payments",
            Self::Refund => "refunds",
            Self::Capture => "captures",
            Self::Cancellation => "cancellations",
            Self::Receipt => "receipts",
            Self::Change => "changes",
        }
    }

    /// A new unguessable id of this kind.
    pub(crate) fn fresh_id(self) -> String {
        let prefix = match self {
            Self::Payment => "pay",
            Self::Refund => "ref",
            Self::Capture => "cap",
            Self::Cancellation => "can",
            Self::Receipt => "rec",
            Self::Change => "chg",
        };
        format!("{prefix}_{}", uuid::Uuid::new_v4().simple())
    }
}

/// One effect.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Effect {
    /// Its kind.
    pub(crate) kind: Kind,
    /// Its id.
    pub(crate) id: String,
    /// Whose it is.
    pub(crate) account: String,
    /// The bare key of the request, if it had one.
    pub(crate) key: Option<String>,
    /// The client's own reference.
    pub(crate) reference: Option<String>,
    /// In minor units.
    pub(crate) amount: Option<i64>,
    /// Three letters.
    pub(crate) currency: Option<String>,
    /// The payment that it belongs to.
    pub(crate) payment: Option<String>,
    /// Free text.
    pub(crate) note: Option<String>,
    /// Counted up by every change.
    pub(crate) version: i64,
    /// Deleted payments stay as rows, so that counting sees them.
    pub(crate) deleted: bool,
    /// Unique: one life of a key can have one effect.
    pub(crate) safety_net: Option<String>,
    /// A hash of the request's body.
    pub(crate) body_hash: String,
}

impl Effect {
    /// The effect as the API shows it.
    pub(crate) fn to_json(&self, status: &str) -> Value {
        let mut shown = json!({
            "id": self.id,
            "amount": self.amount,
            "currency": self.currency,
            "reference": self.reference,
            "payment": self.payment,
            "note": self.note,
            "account": self.account,
            "status": status,
        });
        if let Some(members) = shown.as_object_mut() {
            members.retain(|_, value| !value.is_null());
        }
        shown
    }

    /// The entity tag of this version.
    pub(crate) fn etag(&self) -> String {
        format!("\"v{}\"", self.version)
    }
}

/// Which effects are listed; what is not given does not filter.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    /// Only this id.
    pub(crate) id: Option<String>,
    /// Only with this bare key.
    pub(crate) key: Option<String>,
    /// Only with this reference.
    pub(crate) reference: Option<String>,
    /// Only of this payment.
    pub(crate) payment: Option<String>,
    /// Only from requests with this body.
    pub(crate) body_hash: Option<String>,
}

impl Filter {
    /// Whether an effect is wanted.
    pub(crate) fn takes(&self, effect: &Effect) -> bool {
        fn fits(wanted: Option<&String>, is: Option<&String>) -> bool {
            wanted.is_none() || wanted == is
        }
        fits(self.id.as_ref(), Some(&effect.id))
            && fits(self.key.as_ref(), effect.key.as_ref())
            && fits(self.reference.as_ref(), effect.reference.as_ref())
            && fits(self.payment.as_ref(), effect.payment.as_ref())
            && fits(self.body_hash.as_ref(), Some(&effect.body_hash))
    }
}
