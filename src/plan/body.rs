//! The body of a request: the target's declaration with placeholders filled, variants applied, and bytes rewritten.
//! It must not know about headers, keys or URLs.

use super::template::{self, Values};
use super::{json_text, rewrite};
use crate::config::suite::Written;
use crate::config::target::{Body, Operation, Stall, Variant};

/// A body being made.
#[derive(Clone, Debug, PartialEq)]
pub struct Payload(Body);

/// The variants that make up a named body: the named one, and the slow one where every request of the intent is held.
pub fn variants<'a>(
    operation: &'a Operation,
    name: &str,
    slow: bool,
) -> Result<Vec<&'a Variant>, String> {
    let mut variants = Vec::new();
    if let (true, Some(Stall::Slow(slow))) = (slow, &operation.stall) {
        variants.push(find(operation, slow)?);
    }
    if name != "base" {
        variants.push(find(operation, name)?);
    }
    Ok(variants)
}

fn find<'a>(operation: &'a Operation, name: &str) -> Result<&'a Variant, String> {
    let found = operation.bodies.get(name);
    found.ok_or_else(|| {
        format!(
            "the target declares no `{name}` request for {} (bodies.{name})",
            operation.name
        )
    })
}

impl Payload {
    /// The operation's body with placeholders filled and the variants applied in order.
    pub fn of(
        operation: &Operation,
        variants: &[&Variant],
        values: &Values,
    ) -> Result<Self, String> {
        let whole = variants
            .iter()
            .rev()
            .find_map(|variant| variant.body.as_ref())
            .unwrap_or(&operation.body);
        let mut payload = Self(filled(whole, values)?);
        for variant in variants {
            for (at, value) in &variant.set {
                match &value {
                    serde_json::Value::String(text) => {
                        let text = template::render(text, values)
                            .map_err(|missing| missing.to_string())?;
                        payload.set_text(at, &text)?;
                    }
                    other => payload.set_json(at, &other.to_string())?,
                }
            }
            for at in &variant.remove {
                payload.remove(at)?;
            }
        }
        Ok(payload)
    }

    /// Puts a text at a JSON Pointer, or into a form field.
    pub fn set_text(&mut self, at: &str, text: &str) -> Result<(), String> {
        match &mut self.0 {
            Body::Form(fields) => {
                let name = at.trim_start_matches('/');
                match fields.iter_mut().find(|(field, _)| field == name) {
                    Some((_, value)) => text.clone_into(value),
                    None => fields.push((name.to_owned(), text.to_owned())),
                }
                Ok(())
            }
            _ => self.set_json(at, &serde_json::Value::from(text).to_string()),
        }
    }

    fn set_json(&mut self, at: &str, json: &str) -> Result<(), String> {
        match &mut self.0 {
            Body::Json(text) => {
                *text = json_text::set(text, at, json).map_err(|error| error.to_string())?;
                Ok(())
            }
            Body::Form(_) => self.set_text(at, json),
            Body::Empty => Err(format!("an empty body has no place for `{at}`")),
            Body::Text { content_type, .. } => {
                Err(format!("a {content_type} body cannot be edited at `{at}`"))
            }
        }
    }

    /// Adds a form field, even where one of this name stands already.
    pub fn add_field(&mut self, name: &str, text: &str) -> Result<(), String> {
        match &mut self.0 {
            Body::Form(fields) => fields.push((name.to_owned(), text.to_owned())),
            Body::Empty => self.0 = Body::Form(vec![(name.to_owned(), text.to_owned())]),
            _ => {
                return Err(
                    "the policy puts the key into a form field; the body is no form".to_owned(),
                );
            }
        }
        Ok(())
    }

    /// Adds a member to a JSON object, with the objects that lead to it; an empty body becomes one.
    pub fn add_member(&mut self, at: &str, text: &str) -> Result<(), String> {
        if self.0 == Body::Empty {
            self.0 = Body::Json("{}".to_owned());
        }
        if let Body::Json(body) = &mut self.0 {
            *body = json_text::with_parents(body, at).map_err(|error| error.to_string())?;
        }
        self.set_text(at, text)
    }

    fn remove(&mut self, at: &str) -> Result<(), String> {
        match &mut self.0 {
            Body::Json(text) => {
                *text = json_text::remove(text, at).map_err(|error| error.to_string())?
            }
            Body::Form(fields) => fields.retain(|(name, _)| name != at.trim_start_matches('/')),
            _ => return Err(format!("nothing can be removed at `{at}`")),
        }
        Ok(())
    }

    /// The same meaning in other bytes.
    pub fn rewrite(&mut self, written: Written, ignored: Option<&str>) -> Result<(), String> {
        match (&mut self.0, written) {
            (Body::Json(text), _) => *text = rewrite::rewrite(text, written, ignored)?,
            (Body::Form(fields), Written::MembersReordered)
                if !fields.iter().eq(fields.iter().rev()) =>
            {
                fields.reverse()
            }
            (Body::Form(fields), Written::AddedMember) => {
                fields.push(("doubletap_added".to_owned(), "1".to_owned()))
            }
            _ => return Err("the body is no JSON".to_owned()),
        }
        Ok(())
    }

    /// The content type that the body needs, where it needs one.
    #[must_use]
    pub fn content_type(&self) -> Option<&str> {
        match &self.0 {
            Body::Empty => None,
            Body::Json(_) => Some("application/json"),
            Body::Form(_) => Some("application/x-www-form-urlencoded"),
            Body::Text { content_type, .. } => Some(content_type),
        }
    }

    /// The bytes.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        match self.0 {
            Body::Empty => Vec::new(),
            Body::Json(text) | Body::Text { text, .. } => text.into_bytes(),
            Body::Form(fields) => url::form_urlencoded::Serializer::new(String::new())
                .extend_pairs(fields)
                .finish()
                .into_bytes(),
        }
    }
}

fn filled(body: &Body, values: &Values) -> Result<Body, String> {
    let render = |text: &str| template::render(text, values).map_err(|missing| missing.to_string());
    Ok(match body {
        Body::Empty => Body::Empty,
        Body::Json(text) => {
            Body::Json(template::render_json(text, values).map_err(|missing| missing.to_string())?)
        }
        Body::Form(fields) => {
            let mut filled = Vec::new();
            for (name, value) in fields {
                filled.push((name.clone(), render(value)?));
            }
            Body::Form(filled)
        }
        Body::Text { content_type, text } => Body::Text {
            content_type: content_type.clone(),
            text: render(text)?,
        },
    })
}
