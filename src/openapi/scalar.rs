//! Texts and numbers that a schema's bounds and formats allow, and which members take a text of the client's own.
//! It must not know of objects, nor where a schema stands.

use serde_json::{Number, Value};

/// Members in which services keep a text of the client's, the best first.
pub const REFERENCES: [&str; 14] = [
    "reference",
    "merchantreference",
    "merchant_reference",
    "externalreference",
    "external_reference",
    "externalid",
    "external_id",
    "clientreferenceid",
    "client_reference_id",
    "reference_id",
    "custom_id",
    "description",
    "note",
    "memo",
];

/// The tool's own text is so long at the most.
const REFERENCE: u64 = 48;

/// Whether a member of this name is one for a text of the client's own, long enough for the tool's.
pub fn takes_a_reference(name: &str, schema: &Value) -> bool {
    REFERENCES.contains(&name.to_lowercase().as_str())
        && schema["type"] == "string"
        && schema["enum"].is_null()
        && schema["format"].is_null()
        && schema["pattern"].is_null()
        && schema["maxLength"]
            .as_u64()
            .is_none_or(|most| most >= REFERENCE)
}

/// Whether a schema is of a text or a number.
pub fn is_one(schema: &Value) -> bool {
    ["string", "integer", "number"]
        .iter()
        .any(|kind| schema["type"] == *kind)
}

/// A value of this type within all the bounds.
pub fn of(kind: &str, parts: &[&Value], name: &str) -> Value {
    match kind {
        "integer" => integer(parts),
        "number" => number(parts),
        "boolean" => Value::Bool(false),
        _ => Value::String(text(parts, name)),
    }
}

/// The tightest of a bound's values.
fn bound(parts: &[&Value], name: &str, tighter: fn(f64, f64) -> f64) -> Option<f64> {
    let told = parts.iter().filter_map(|part| part[name].as_f64());
    told.reduce(tighter)
}

/// Least and most, with what has to be added to the least (3.0 writes `exclusiveMinimum: true`, 3.1 a number).
fn bounds(parts: &[&Value], step: f64) -> (f64, f64) {
    let is_exclusive = |name: &str| parts.iter().any(|part| part[name] == true);
    let mut least = bound(parts, "minimum", f64::max).unwrap_or(f64::NEG_INFINITY);
    if is_exclusive("exclusiveMinimum") {
        least += step;
    }
    if let Some(above) = bound(parts, "exclusiveMinimum", f64::max) {
        least = least.max(above + step);
    }
    let mut most = bound(parts, "maximum", f64::min).unwrap_or(f64::INFINITY);
    if is_exclusive("exclusiveMaximum") {
        most -= step;
    }
    if let Some(below) = bound(parts, "exclusiveMaximum", f64::min) {
        most = most.min(below - step);
    }
    (least, most)
}

fn integer(parts: &[&Value]) -> Value {
    let (least, most) = bounds(parts, 1.0);
    let step = bound(parts, "multipleOf", f64::max).filter(|step| *step >= 1.0);
    let mut wanted = 1.0_f64.max(least).min(most);
    if let Some(step) = step {
        wanted = (wanted / step).ceil() * step;
    }
    // beyond 2^53 no bound of a document is exact
    #[expect(
        clippy::cast_possible_truncation,
        reason = "clamped to what a double holds exactly"
    )]
    let whole = wanted
        .ceil()
        .clamp(-9_007_199_254_740_992.0, 9_007_199_254_740_992.0) as i64;
    Value::from(whole)
}

fn number(parts: &[&Value]) -> Value {
    let (least, most) = bounds(parts, 0.01);
    let wanted = 1.0_f64.max(least).min(most);
    let whole = wanted.ceil();
    if whole <= most && whole.abs() < 9e15 {
        return integer(parts);
    }
    Number::from_f64(wanted).map_or(Value::from(1), Value::Number)
}

fn text(parts: &[&Value], name: &str) -> String {
    let format = parts.iter().find_map(|part| part["format"].as_str());
    let length = |name: &str| {
        let told = parts.iter().find_map(|part| part[name].as_u64());
        told.and_then(|n| usize::try_from(n).ok())
    };
    let (least, most) = (length("minLength").unwrap_or(0), length("maxLength"));
    let plain = match format.unwrap_or_default() {
        "uuid" => "8e03978e-40d5-43dd-bc93-6894a57f9324",
        "date" => "2030-01-31",
        "date-time" => "2030-01-31T12:00:00Z",
        "time" => "12:00:00Z",
        "duration" => "P1D",
        "email" | "idn-email" => "doubletap@example.com",
        "uri" | "url" | "iri" | "uri-reference" => "https://example.com/",
        "hostname" => "example.com",
        "ipv4" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        "byte" | "base64" => "ZG91YmxldGFw",
        "int32" | "int64" => "1",
        "decimal" => "1.00",
        _ => by_name(name, most),
    };
    let mut text = plain.to_owned();
    // more than this is no text that a person would look through
    while text.chars().count() < least.min(4096) {
        text.push('x');
    }
    if let Some(most) = most {
        text = text.chars().take(most).collect();
    }
    text
}

/// What a name says where nothing else does.
fn by_name(name: &str, most: Option<usize>) -> &'static str {
    let name = name.to_lowercase().replace(['_', '-'], "");
    let is_code = most.is_none_or(|most| most <= 3);
    if is_code && name.ends_with("currency") || name.ends_with("currencycode") {
        "EUR"
    } else if name.ends_with("countrycode") || is_code && name.ends_with("country") {
        "NL"
    } else if name.ends_with("email") || name.ends_with("emailaddress") {
        "doubletap@example.com"
    } else {
        "doubletap"
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_stay_within_their_bounds() {
        let int = |schema: Value| integer(&[&schema]);
        assert_eq!(int(json!({})), json!(1));
        assert_eq!(int(json!({ "minimum": 100 })), json!(100));
        assert_eq!(
            int(json!({ "minimum": 100, "exclusiveMinimum": true })),
            json!(101)
        );
        assert_eq!(int(json!({ "exclusiveMinimum": 99 })), json!(100));
        assert_eq!(int(json!({ "maximum": -5 })), json!(-5));
        assert_eq!(int(json!({ "minimum": 7, "multipleOf": 5 })), json!(10));
        assert_eq!(
            int(json!({ "minimum": 1e300 })),
            json!(9_007_199_254_740_992_i64)
        );
        let num = |schema: Value| number(&[&schema]);
        assert_eq!(num(json!({ "exclusiveMinimum": 0 })), json!(1));
        assert_eq!(num(json!({ "minimum": 0.1, "maximum": 0.5 })), json!(0.5));
    }

    #[test]
    fn texts_have_the_length_and_format_that_is_asked_for() {
        let told = |schema: Value, name: &str| text(&[&schema], name);
        assert_eq!(told(json!({ "maxLength": 5 }), ""), "doubl");
        assert_eq!(told(json!({ "minLength": 12 }), ""), "doubletapxxx");
        assert_eq!(told(json!({ "minLength": 999_999_999 }), "").len(), 4096);
        assert_eq!(told(json!({ "format": "date" }), ""), "2030-01-31");
        assert_eq!(
            told(json!({ "minLength": 3, "maxLength": 3 }), "currency"),
            "EUR"
        );
        assert_eq!(told(json!({}), "countryCode"), "NL");
    }

    #[test]
    fn a_text_of_the_clients_own_needs_room_for_the_tools() {
        assert!(takes_a_reference("reference", &json!({ "type": "string" })));
        assert!(!takes_a_reference(
            "reference",
            &json!({ "type": "string", "maxLength": 20 })
        ));
        assert!(!takes_a_reference(
            "note",
            &json!({ "type": "string", "enum": ["a"] })
        ));
        assert!(!takes_a_reference("amount", &json!({ "type": "string" })));
    }
}
