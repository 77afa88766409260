//! The parsed body is written out again without sorting it; blanks, escapes and the form of numbers are gone, the order is not.
//! Must not be sensitive to anything else.

use serde_json::Value;

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;
use crate::sandbox::fingerprint::Parts;
use crate::sandbox::http::request::Request;

pub(super) const FAULT: Fault = Fault {
    name: "member-order-sensitive",
    summary: "Hashes the JSON members in the order sent: the same request with its members reordered is called different.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(MemberOrderSensitive)),
};

struct MemberOrderSensitive;

impl Defect for MemberOrderSensitive {
    fn fingerprint(&self, request: &Request, parts: &mut Parts) {
        if let Ok(members) = &request.document {
            let mut document = Value::Object(members.clone());
            write_numbers_alike(&mut document);
            parts.body = document.to_string().into_bytes();
        }
    }
}

/// `1.0` is written as `1`, as the right fingerprint has it.
fn write_numbers_alike(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let whole = number.as_f64().filter(|float| float.fract() == 0.0);
            if let Some(integer) = whole.and_then(|float| format!("{float:.0}").parse::<i64>().ok())
            {
                *value = integer.into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(write_numbers_alike),
        Value::Object(members) => members.values_mut().for_each(write_numbers_alike),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}
