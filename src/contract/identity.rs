//! What tells one result from another: reading it from a reply, and finding out where it stands.
//! It must not know how replies are fetched.

use serde_json::Value;

use super::Received;
use crate::config::target::Identity;

/// A reply with the request that it answers.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// The reply.
    pub reply: Received<'a>,
    /// All text that was sent: what the server only repeats is nothing that it made.
    pub sent: &'a str,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detected {
    /// Exactly one.
    Found(Identity),
    /// Several that are as likely.
    Ambiguous(Vec<Identity>),
    /// None.
    Nothing,
}

/// The identity in a reply, as text.
#[must_use]
pub fn value(identity: &Identity, reply: Received<'_>) -> Option<String> {
    match identity {
        Identity::Detect | Identity::None => None,
        Identity::Pointer(pointer) => reply.at(pointer).into_iter().next(),
        Identity::Header(name) => reply.header(name).next().map(str::to_owned),
        Identity::Xml(path) => {
            let place = format!("xml:{}", path.trim_start_matches("xml:"));
            reply.at(&place).into_iter().next()
        }
    }
}

/// How an identity is written in a target file.
#[must_use]
pub fn written(identity: &Identity) -> String {
    match identity {
        Identity::Detect => "detect".to_owned(),
        Identity::Pointer(pointer) => pointer.clone(),
        Identity::Header(name) => format!("header:{name}"),
        Identity::Xml(path) => format!("xml:{}", path.trim_start_matches("xml:")),
        Identity::None => "none".to_owned(),
    }
}

/// Objects in the outermost one.
const NEAR: usize = 1;
/// As deep as envelopes go.
const DEEP: usize = 4;

/// Looks for the identity in replies to requests with different keys: it differs between them, and the server made it.
/// `noun` is what the operation makes (`payment`); it decides between several ids.
#[must_use]
pub fn detect(samples: &[Sample<'_>], noun: &str) -> Detected {
    let Some(first) = samples.first() else {
        return Detected::Nothing;
    };
    let body: Value =
        serde_json::from_str(first.reply.text.unwrap_or_default()).unwrap_or(Value::Null);
    // what lies deep is looked at only where nothing lies near
    let within = |depth: usize| -> Vec<Identity> {
        let mut pointers = Vec::new();
        collect(&body, "", depth, &mut pointers);
        let all = pointers.into_iter().map(Identity::Pointer);
        all.filter(|identity| tells_apart(identity, samples))
            .collect()
    };
    let depths = [NEAR, DEEP].into_iter().map(within);
    let mut found = depths
        .into_iter()
        .find(|found| !found.is_empty())
        .unwrap_or_default();
    if let Some(plain) = found
        .iter()
        .find(|identity| **identity == Identity::Pointer("/id".to_owned()))
    {
        return Detected::Found(plain.clone());
    }
    if found.len() > 1 {
        let noun = noun.to_lowercase();
        let named: Vec<&Identity> = found
            .iter()
            .filter(|identity| !noun.is_empty() && written(identity).to_lowercase().contains(&noun))
            .collect();
        if let [one] = named[..] {
            return Detected::Found(one.clone());
        }
        return Detected::Ambiguous(found);
    }
    if let Some(one) = found.pop() {
        return Detected::Found(one);
    }
    let location = Identity::Header("Location".to_owned());
    if tells_apart(&location, samples) {
        return Detected::Found(location);
    }
    Detected::Nothing
}

/// Whether it is there in every reply, differs, and was not sent.
fn tells_apart(identity: &Identity, samples: &[Sample<'_>]) -> bool {
    let mut seen: Vec<String> = Vec::new();
    for sample in samples {
        let Some(value) = value(identity, sample.reply) else {
            return false;
        };
        let repeated = value.len() >= 4 && sample.sent.contains(&value);
        if value.is_empty() || repeated || seen.contains(&value) {
            return false;
        }
        seen.push(value);
    }
    true
}

/// Members that may be ids, of the outermost object and of objects in it down to a depth.
fn collect(value: &Value, at: &str, depth: usize, found: &mut Vec<String>) {
    let Value::Object(members) = value else {
        return;
    };
    for (name, member) in members {
        let pointer = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
        match member {
            Value::String(_) | Value::Number(_) if is_id(name) => found.push(pointer),
            Value::Object(_) if depth > 0 && !is_of_the_request(name) => {
                collect(member, &pointer, depth - 1, found);
            }
            _ => {}
        }
    }
}

fn is_id(name: &str) -> bool {
    let lower = name.to_lowercase();
    let looks = lower == "id" || lower == "uuid" || lower.ends_with("_id") || name.ends_with("Id");
    looks && !is_of_the_request(name)
}

/// Ids of the exchange, not of what it made.
fn is_of_the_request(name: &str) -> bool {
    const WORDS: [&str; 8] = [
        "request",
        "trace",
        "correlation",
        "span",
        "session",
        "idempot",
        "time",
        "date",
    ];
    let lower = name.to_lowercase();
    WORDS.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(bodies: [&str; 2], noun: &str) -> Detected {
        let samples = bodies.map(|body| Sample {
            reply: received(&[], body),
            sent: "POST /payments reference=dt-r-1-abcd amount=100",
        });
        detect(&samples, noun)
    }

    fn received<'a>(headers: &'a [(String, String)], text: &'a str) -> Received<'a> {
        Received {
            status: 201,
            headers,
            text: Some(text),
        }
    }

    fn pointer(text: &str) -> Detected {
        Detected::Found(Identity::Pointer(text.to_owned()))
    }

    #[test]
    fn what_lies_deep_is_found_where_nothing_lies_near() {
        let deep =
            |n: u8| format!("{{\"data\":{{\"payment\":{{\"id\":{n}}}}},\"owner\":{{\"id\":7}}}}");
        let bodies = [deep(1), deep(2)];
        let bodies = [bodies[0].as_str(), bodies[1].as_str()];
        assert_eq!(found(bodies, "payment"), pointer("/data/payment/id"));
        let near = |n: u8| format!("{{\"data\":{{\"id\":{n},\"card\":{{\"id\":{n}}}}}}}");
        let bodies = [near(1), near(2)];
        let bodies = [bodies[0].as_str(), bodies[1].as_str()];
        assert_eq!(found(bodies, "payment"), pointer("/data/id"));
    }

    #[test]
    fn the_plain_id_wins() {
        let bodies = [
            "{\"id\":1,\"customer_id\":9,\"receipt_id\":\"r1\"}",
            "{\"id\":2,\"customer_id\":9,\"receipt_id\":\"r2\"}",
        ];
        assert_eq!(found(bodies, "payment"), pointer("/id"));
    }

    #[test]
    fn what_stays_the_same_or_was_sent_is_no_identity() {
        let bodies = [
            "{\"payment_id\":\"p1\",\"customer_id\":9,\"reference_id\":\"dt-r-1-abcd\"}",
            "{\"payment_id\":\"p2\",\"customer_id\":9,\"reference_id\":\"dt-r-1-abcd\"}",
        ];
        assert_eq!(found(bodies, ""), pointer("/payment_id"));
    }

    #[test]
    fn ids_of_the_exchange_are_never_taken() {
        let bodies = [
            "{\"request_id\":\"a\",\"traceId\":\"b\",\"data\":{\"id\":\"x1\"}}",
            "{\"request_id\":\"c\",\"traceId\":\"d\",\"data\":{\"id\":\"x2\"}}",
        ];
        assert_eq!(found(bodies, ""), pointer("/data/id"));
        assert_eq!(
            found(["{\"request_id\":\"a\"}", "{\"request_id\":\"b\"}"], ""),
            Detected::Nothing
        );
    }

    #[test]
    fn several_are_ambiguous_unless_the_operation_names_one() {
        let bodies = [
            "{\"payment_id\":\"p1\",\"ledger_id\":1}",
            "{\"payment_id\":\"p2\",\"ledger_id\":2}",
        ];
        assert_eq!(found(bodies, "payment"), pointer("/payment_id"));
        let Detected::Ambiguous(all) = found(bodies, "charge") else {
            panic!("one of two equal candidates was taken");
        };
        let all: Vec<String> = all.iter().map(written).collect();
        assert_eq!(all, ["/payment_id", "/ledger_id"]);
    }

    #[test]
    fn location_serves_where_the_body_has_none() {
        let headers = |n| [("location".to_owned(), format!("/payments/{n}"))];
        let (one, two) = (headers(1), headers(2));
        let sample = |headers| Sample {
            reply: received(headers, ""),
            sent: "",
        };
        assert_eq!(
            detect(&[sample(&one), sample(&two)], ""),
            Detected::Found(Identity::Header("Location".to_owned()))
        );
        assert_eq!(detect(&[sample(&one), sample(&one)], ""), Detected::Nothing);
    }

    #[test]
    fn identities_are_read_from_json_headers_and_xml() {
        let headers = [("location".to_owned(), "/p/7".to_owned())];
        let read = |identity, body: &str| value(&identity, received(&headers, body));
        assert_eq!(
            read(Identity::Pointer("/a/id".into()), "{\"a\":{\"id\":17}}").as_deref(),
            Some("17")
        );
        assert_eq!(
            read(Identity::Header("Location".into()), "").as_deref(),
            Some("/p/7")
        );
        let xml = "<R><Ids><Id>no</Id></Ids><Instance state=\"x\"><Id> i-1 </Id></Instance></R>";
        assert_eq!(
            read(Identity::Xml("/R/Instance/Id".into()), xml).as_deref(),
            Some("i-1")
        );
        assert_eq!(read(Identity::Xml("/R/Nothing".into()), xml), None);
    }
}
