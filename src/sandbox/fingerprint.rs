//! What makes two requests the same: method, route, resource, query and the meaning of the body, hashed together.
//! Must not know what happens when they differ.

use serde_json::Value;
use sha2::{Digest, Sha256};

/// The parts of a request that are hashed; defects take some away.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Parts {
    /// The method.
    pub(crate) method: String,
    /// The path with `:id` for each id.
    pub(crate) route: String,
    /// The ids in the path.
    pub(crate) resource: String,
    /// The query as sent.
    pub(crate) query: String,
    /// The body in canonical form.
    pub(crate) body: Vec<u8>,
}

impl Parts {
    /// The hash, in hexadecimal digits.
    pub(crate) fn hash(&self) -> String {
        let mut hasher = Sha256::new();
        let texts = [&self.method, &self.route, &self.resource, &self.query];
        for part in texts
            .map(|text| text.as_bytes())
            .into_iter()
            .chain([&self.body[..]])
        {
            // The length keeps neighbours apart.
            hasher.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            hasher.update(part);
        }
        hex(&hasher.finalize())
    }
}

/// The body's meaning as bytes (RFC 8785); what is no JSON stands for itself.
pub(crate) fn canonical(document: Option<&Value>, raw: &[u8]) -> Vec<u8> {
    document
        .and_then(|document| serde_json_canonicalizer::to_vec(document).ok())
        .unwrap_or_else(|| raw.to_vec())
}

/// The hash of some bytes alone.
pub(crate) fn hash(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(json: &str) -> Vec<u8> {
        canonical(serde_json::from_str(json).ok().as_ref(), json.as_bytes())
    }

    #[test]
    fn the_same_meaning_in_other_bytes_is_the_same() {
        let plain = of(r#"{"amount":1,"note":"é"}"#);
        assert_eq!(of(r#"{ "note": "é", "amount": 1 }"#), plain);
        assert_eq!(of(r#"{"amount":1.0,"note":"\u00e9"}"#), plain);
    }

    #[test]
    fn another_meaning_differs() {
        assert_ne!(of(r#"{"a":null}"#), of("{}"));
        assert_ne!(of("[1,2]"), of("[2,1]"));
        assert_ne!(of(r#"{"a":1}"#), of(r#"{"a":"1"}"#));
    }

    #[test]
    fn text_does_not_wander_between_the_parts() {
        let one = Parts {
            route: "/a".into(),
            resource: "b".into(),
            ..Parts::default()
        };
        let other = Parts {
            route: "/".into(),
            resource: "ab".into(),
            ..Parts::default()
        };
        assert_ne!(one.hash(), other.hash());
    }
}
