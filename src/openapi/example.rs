//! A value that fits a schema: its own example where there is one, else the smallest that its types, bounds and enums allow.
//! It must not know what the value is for.

use serde_json::{Map, Value};

use super::document::Document;
use super::scalar;

/// Schemas that hold others go no deeper than this.
const DEEPEST: usize = 16;
/// How many schemas are looked at for one value: a wide ring of schemas would never end.
const MOST: usize = 800;
/// Parts of one schema (`allOf` of `allOf`).
const PARTS: usize = 64;

/// Makes values.
pub struct Maker<'d> {
    document: Document<'d>,
    left: usize,
    inside: Vec<*const Value>,
    /// A reference that leads nowhere in the document.
    pub lost: Option<String>,
}

impl<'d> Maker<'d> {
    /// A maker that has made nothing yet.
    pub fn new(document: Document<'d>) -> Self {
        Self {
            document,
            left: MOST,
            inside: Vec::new(),
            lost: None,
        }
    }

    /// A value that fits a schema. `Null` where none can be made: a ring, or too much of it.
    pub fn value(&mut self, schema: &'d Value) -> Value {
        self.named(schema, "")
    }

    /// The same, for a member of this name.
    fn named(&mut self, schema: &'d Value, name: &str) -> Value {
        if self.left == 0 || self.inside.len() > DEEPEST {
            return Value::Null;
        }
        self.left -= 1;
        let own = schema;
        let schema = self.found(schema);
        let mark = std::ptr::from_ref(schema);
        if self.inside.contains(&mark) || schema.get("$ref").is_some() {
            return Value::Null;
        }
        self.inside.push(mark);
        let value = self.made(own, schema, name);
        self.inside.pop();
        value
    }

    /// Where a schema leads; what leads out of the document is remembered.
    fn found(&mut self, schema: &'d Value) -> &'d Value {
        let found = self.document.resolve(schema);
        if let Some(at) = found["$ref"].as_str() {
            self.lost.get_or_insert_with(|| at.to_owned());
        }
        found
    }

    fn made(&mut self, own: &'d Value, schema: &'d Value, name: &str) -> Value {
        let mut parts = Vec::new();
        self.parts(schema, &mut parts, 0);
        let kind = kind(&parts);
        // a reference may have an example beside it
        let told = [own].into_iter().chain(parts.iter().copied());
        // an object's example in a part of it is a part of the example
        let told = told.take(if kind == "object" { 2 } else { PARTS });
        if let Some(value) = told.filter_map(example).find_map(|v| fitting(kind, v)) {
            return value;
        }
        match kind {
            "object" => self.object(&parts),
            "array" => self.array(&parts),
            "null" => Value::Null,
            _ => scalar::of(kind, &parts, name),
        }
    }

    /// A schema with all that it is made of: its `allOf`, and the first of its alternatives.
    fn parts(&mut self, schema: &'d Value, parts: &mut Vec<&'d Value>, depth: usize) {
        if parts.len() >= PARTS || depth > DEEPEST || self.left == 0 {
            return;
        }
        self.left -= 1;
        let schema = self.found(schema);
        if parts.iter().any(|part| std::ptr::eq(*part, schema)) {
            return;
        }
        parts.push(schema);
        for part in schema["allOf"].as_array().into_iter().flatten() {
            self.parts(part, parts, depth + 1);
        }
        for alternatives in ["oneOf", "anyOf"] {
            let mut all = schema[alternatives].as_array().into_iter().flatten();
            if let Some(first) = all.find(|one| self.document.resolve(one)["type"] != "null") {
                self.parts(first, parts, depth + 1);
            }
        }
    }

    /// What must be there, and a text of the client's own; where nothing must, what has an example, or else something small.
    fn object(&mut self, parts: &[&'d Value]) -> Value {
        let required: Vec<&str> = parts
            .iter()
            .filter_map(|part| part["required"].as_array())
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let mut members = Map::new();
        let mut small = None;
        for (name, property) in parts
            .iter()
            .filter_map(|part| part["properties"].as_object())
            .flatten()
        {
            let inner = self.found(property);
            if inner["readOnly"] == true || property["readOnly"] == true {
                continue;
            }
            let must = required.contains(&name.as_str());
            let may =
                required.is_empty() && (example(inner).is_some() || example(property).is_some());
            let takes_a_text = self.inside.len() == 1 && scalar::takes_a_reference(name, inner);
            if must || may || takes_a_text {
                let value = self.named(property, name);
                // what is too deep to be made is left out: the service says whether it needs it
                if !value.is_null() {
                    members.insert(name.clone(), value);
                }
            } else if small.is_none() && scalar::is_one(inner) {
                small = Some((name, property));
            }
        }
        if let (true, Some((name, property))) = (members.is_empty(), small) {
            let value = self.named(property, name);
            members.insert(name.clone(), value);
        }
        self.discriminate(parts, &mut members);
        Value::Object(members)
    }

    /// The member that tells alternatives apart: its name in the mapping, else the schema's.
    fn discriminate(&self, parts: &[&'d Value], members: &mut Map<String, Value>) {
        for part in parts {
            let tells = &part["discriminator"];
            let (Some(name), Some(first)) = (
                tells["propertyName"].as_str(),
                part["oneOf"]
                    .as_array()
                    .or(part["anyOf"].as_array())
                    .and_then(|all| all.first()),
            ) else {
                continue;
            };
            let Some(target) = first["$ref"].as_str() else {
                continue;
            };
            let mapped = tells["mapping"].as_object().into_iter().flatten();
            let mapped = mapped.filter(|(_, to)| to.as_str() == Some(target));
            let value = mapped
                .map(|(value, _)| value.as_str())
                .next()
                .unwrap_or_else(|| target.rsplit('/').next().unwrap_or(target));
            members.insert(name.to_owned(), Value::from(value));
        }
    }

    fn array(&mut self, parts: &[&'d Value]) -> Value {
        let Some(items) = parts.iter().find_map(|part| part.get("items")) else {
            return Value::Array(Vec::new());
        };
        let least = parts.iter().find_map(|part| part["minItems"].as_u64());
        let one = self.named(items, "");
        if one.is_null() {
            return Value::Array(Vec::new());
        }
        let count = usize::try_from(least.unwrap_or(1))
            .unwrap_or(1)
            .clamp(1, 20);
        Value::Array(vec![one; count])
    }
}

/// The example of a schema, in any of its spellings.
fn example(schema: &Value) -> Option<&Value> {
    let first = |name: &str| schema[name].as_array().and_then(|all| all.first());
    let told = ["example", "const", "default"].into_iter();
    told.filter_map(|name| schema.get(name))
        .find(|value| !value.is_null())
        .or_else(|| first("examples"))
        .or_else(|| first("enum"))
        .filter(|value| !value.is_null())
}

/// An example as the type wants it: documents write `"10"` for an integer, and 10 for a text. An empty object says nothing.
fn fitting(kind: &str, example: &Value) -> Option<Value> {
    match (kind, example) {
        ("string", Value::Number(_) | Value::Bool(_)) => Some(Value::from(example.to_string())),
        ("integer", Value::String(text)) => text.parse::<i64>().ok().map(Value::from),
        ("number", Value::String(text)) => text.parse::<f64>().ok().map(Value::from),
        ("boolean", Value::String(text)) => text.parse::<bool>().ok().map(Value::from),
        ("integer", Value::Number(n)) => (n.is_i64() || n.is_u64()).then(|| example.clone()),
        ("object", Value::Object(members)) => (!members.is_empty()).then(|| example.clone()),
        ("string", Value::String(_))
        | ("number", Value::Number(_))
        | ("boolean", Value::Bool(_))
        | ("array", Value::Array(_)) => Some(example.clone()),
        _ => None,
    }
}

/// The type: 3.1 allows several, and `null` is the least useful.
fn kind<'d>(parts: &[&'d Value]) -> &'d str {
    let told = parts.iter().find_map(|part| match &part["type"] {
        Value::String(one) => Some(one.as_str()),
        Value::Array(several) => {
            let mut names = several.iter().filter_map(Value::as_str);
            names.find(|name| *name != "null")
        }
        _ => None,
    });
    let has = |name: &str| parts.iter().any(|part| !part[name].is_null());
    told.unwrap_or_else(|| {
        if has("properties") || has("additionalProperties") {
            "object"
        } else if has("items") {
            "array"
        } else {
            // an untyped enum is of the type of its values
            match parts.iter().find_map(|part| example(part)) {
                Some(Value::Number(n)) if n.is_f64() => "number",
                Some(Value::Number(_)) => "integer",
                Some(Value::Bool(_)) => "boolean",
                Some(Value::Object(_)) => "object",
                Some(Value::Array(_)) => "array",
                _ => "string",
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(root: &Value, at: &str) -> Value {
        Maker::new(Document::new(root)).value(root.pointer(at).unwrap())
    }

    #[test]
    fn what_a_schema_requires_is_made_from_all_its_parts() {
        let root = json!({ "A": { "required": ["kind", "total"], "allOf": [
            { "$ref": "#/Base" }, { "properties": { "total": { "type": "integer", "example": "12" }, "spare": {} } } ] },
            "Base": { "type": "object", "required": ["id", "reference"], "properties": {
                "id": { "readOnly": true, "type": "string" }, "kind": { "enum": ["a", "b"] }, "reference": { "type": "string", "maxLength": 80 } } } });
        assert_eq!(
            of(&root, "/A"),
            json!({ "kind": "a", "reference": "doubletap", "total": 12 })
        );
    }

    #[test]
    fn a_ring_of_schemas_comes_to_an_end_and_so_does_a_wide_one() {
        let root = json!({ "T": { "type": "object", "required": ["name", "children"], "properties": {
            "name": { "type": "string" }, "children": { "type": "array", "items": { "$ref": "#/T" } } } },
            "R": { "$ref": "#/S" }, "S": { "$ref": "#/R" } });
        assert_eq!(
            of(&root, "/T"),
            json!({ "name": "doubletap", "children": [] })
        );
        assert_eq!(of(&root, "/R"), Value::Null);
        // sixty kinds, each of which needs all the others
        let names: Vec<String> = (0..60).map(|n| format!("K{n}")).collect();
        let all: Map<String, Value> = names
            .iter()
            .map(|name| (name.clone(), json!({ "$ref": format!("#/{name}") })))
            .collect();
        let one = json!({ "type": "object", "required": names, "properties": all });
        let root: Map<String, Value> = names
            .iter()
            .map(|name| (name.clone(), one.clone()))
            .collect();
        let began = std::time::Instant::now();
        of(&Value::Object(root), "/K0");
        assert!(began.elapsed().as_secs() < 5);
    }

    #[test]
    fn alternatives_are_told_apart_by_their_discriminator() {
        let root = json!({ "M": { "oneOf": [{ "$ref": "#/Card" }, { "$ref": "#/Bank" }],
            "discriminator": { "propertyName": "type", "mapping": { "card": "#/Card" } } },
            "Card": { "type": "object", "required": ["type", "number"], "properties": {
                "type": { "type": "string" }, "number": { "type": "string", "minLength": 12 } } }, "Bank": { "type": "object" } });
        assert_eq!(
            of(&root, "/M"),
            json!({ "type": "card", "number": "doubletapxxx" })
        );
    }

    #[test]
    fn a_reference_out_of_the_document_is_remembered() {
        let root = json!({ "A": { "type": "object", "required": ["x"], "properties": { "x": { "$ref": "other.yaml#/X" } } } });
        let mut maker = Maker::new(Document::new(&root));
        maker.value(&root["A"]);
        assert_eq!(maker.lost.as_deref(), Some("other.yaml#/X"));
    }
}
