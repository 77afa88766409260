//! From the description of a refusal to a reply that fits it: the first status, the first value at each place.
//! Must not know why something is refused.

use serde_json::{Map, Value, json};

use crate::contract::{BodyMatch, Match, StatusPattern};
use crate::sandbox::http::reply::Reply;

/// What is said where the description leaves it open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Usual<'a> {
    /// The status.
    pub(super) status: u16,
    /// The text for people.
    pub(super) detail: &'a str,
    /// What the first request made, where the refusal may name it.
    pub(super) identity: Option<&'a str>,
}

/// The refusal.
pub(super) fn refuse(how: &Match, usual: Usual<'_>) -> Reply {
    let status = status(&how.status, usual.status);
    let identity = usual.identity.filter(|_| how.reveals == Some(true));
    let something = identity.unwrap_or(usual.detail);
    let mut reply = body(status, &how.body, usual.detail, something, identity);
    for header in &how.header {
        let value = header.is.first().map_or_else(
            || usual_value(&header.name, &reply, identity),
            String::clone,
        );
        reply.drop_header(&header.name);
        reply = reply.with(&header.name, value);
    }
    reply
}

fn status(patterns: &[StatusPattern], usual: u16) -> u16 {
    let fits = |pattern: &StatusPattern| pattern.fits(usual);
    // A reply that ends the exchange cannot be a 1xx.
    let first = patterns.iter().find_map(|pattern| match *pattern {
        StatusPattern::Exact(status) => (status >= 200).then_some(status),
        StatusPattern::Class(_) if pattern.fits(usual) => Some(usual),
        StatusPattern::Class(class) => (class >= 2).then_some(class * 100),
    });
    match first {
        Some(first) if !patterns.first().is_some_and(fits) => first,
        _ if patterns.is_empty() || patterns.first().is_some_and(fits) => usual,
        first => first.unwrap_or(usual),
    }
}

fn usual_value(header: &str, reply: &Reply, identity: Option<&str>) -> String {
    let text = match header.to_ascii_lowercase().as_str() {
        "retry-after" => "1",
        "link" => "</docs/idempotency>; rel=\"describedby\"",
        "content-type" => reply.header("Content-Type").unwrap_or("application/json"),
        "location" => return format!("/payments/{}", identity.unwrap_or_default()),
        _ => "true",
    };
    text.to_owned()
}

/// The first value that fits a place.
fn value<'a>(wanted: &'a BodyMatch, something: &'a str) -> &'a str {
    let mut listed = wanted.is.iter().chain(&wanted.has);
    listed.next().map_or(something, String::as_str)
}

fn body(
    status: u16,
    wanted: &[BodyMatch],
    detail: &str,
    something: &str,
    identity: Option<&str>,
) -> Reply {
    let of = |prefix: &str| {
        let places = wanted.iter().filter_map(|place| {
            let at = place.at.strip_prefix(prefix)?;
            Some((at.to_owned(), value(place, something).to_owned()))
        });
        places.collect::<Vec<_>>()
    };
    let (xml, form, text) = (of("xml:"), of("form:"), of("text"));
    if !xml.is_empty() {
        return Reply::empty(status)
            .with("Content-Type", "application/xml")
            .containing(document(&xml));
    }
    if !form.is_empty() {
        let mut fields = url::form_urlencoded::Serializer::new(String::new());
        fields.extend_pairs(&form);
        return Reply::empty(status)
            .with("Content-Type", "application/x-www-form-urlencoded")
            .containing(fields.finish());
    }
    if let Some((_, text)) = text.into_iter().next() {
        return Reply::empty(status)
            .with("Content-Type", "text/plain; charset=utf-8")
            .containing(text);
    }
    let more = identity.map_or_else(|| json!({}), |identity| json!({ "existing": identity }));
    if wanted.is_empty() {
        return Reply::problem_with(status, detail, more);
    }
    let mut document = more;
    for place in wanted {
        put(&mut document, &place.at, value(place, something));
    }
    Reply::json(status, &document)
}

/// Puts a text where a JSON Pointer points, making what is missing on the way.
fn put(document: &mut Value, pointer: &str, text: &str) {
    let mut at = document;
    for token in pointer.split('/').skip(1) {
        let name = token.replace("~1", "/").replace("~0", "~");
        let index = match name.as_str() {
            "*" | "-" => Some(0),
            digits => digits.parse::<usize>().ok().filter(|index| *index < 64),
        };
        at = match (index, &mut *at) {
            (Some(index), Value::Array(_) | Value::Null) => element(at, index),
            _ => member(at, name),
        };
    }
    *at = Value::String(text.to_owned());
}

fn element(at: &mut Value, index: usize) -> &mut Value {
    if !at.is_array() {
        *at = Value::Array(Vec::new());
    }
    match at {
        Value::Array(elements) => {
            while elements.len() <= index {
                elements.push(Value::Null);
            }
            &mut elements[index]
        }
        other => other,
    }
}

fn member(at: &mut Value, name: String) -> &mut Value {
    if !at.is_object() {
        *at = Value::Object(Map::new());
    }
    match at {
        Value::Object(members) => members.entry(name).or_insert(Value::Null),
        other => other,
    }
}

/// An XML document with these texts; a last segment such as `@code` is an attribute.
fn document(places: &[(String, String)]) -> String {
    let mut root = Element::default();
    for (path, text) in places {
        let mut at = &mut root;
        for name in path.split('/').filter(|name| !name.is_empty()) {
            at = match name.strip_prefix('@') {
                Some(attribute) => {
                    at.attributes.push((attribute.to_owned(), text.clone()));
                    at
                }
                None => at.child(name),
            };
        }
        if !path
            .rsplit('/')
            .next()
            .is_some_and(|last| last.starts_with('@'))
        {
            at.text = text.clone();
        }
    }
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    root.children.iter().for_each(|child| child.write(&mut xml));
    xml
}

#[derive(Default)]
struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    text: String,
    children: Vec<Element>,
}

impl Element {
    fn child(&mut self, name: &str) -> &mut Self {
        let known = self.children.iter().position(|child| child.name == name);
        let at = known.unwrap_or_else(|| {
            self.children.push(Self {
                name: name.to_owned(),
                ..Self::default()
            });
            self.children.len() - 1
        });
        &mut self.children[at]
    }

    fn write(&self, xml: &mut String) {
        xml.push_str(&format!("<{}", self.name));
        for (name, value) in &self.attributes {
            xml.push_str(&format!(" {name}=\"{}\"", escaped(value)));
        }
        xml.push_str(&format!(">{}", escaped(&self.text)));
        self.children.iter().for_each(|child| child.write(xml));
        xml.push_str(&format!("</{}>", self.name));
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
