//! The report as JSON, and the schema that describes it.
//! It must not know what the fields mean.

use serde::Serialize;

use super::Document;
use super::text::is_hostile;

/// The report as indented JSON with a line break at its end.
///
/// # Errors
/// Never for a [`Document`]; the serializer's interface has one.
pub fn render(document: &Document) -> Result<String, serde_json::Error> {
    pretty(document)
}

/// A value as indented JSON that is safe on a terminal and in a pipeline's log.
pub(super) fn pretty(value: &impl Serialize) -> Result<String, serde_json::Error> {
    let mut text = guarded(&serde_json::to_string_pretty(value)?);
    text.push('\n');
    Ok(text)
}

/// The same JSON with everything escaped that a terminal or a pipeline's log could obey. Outside of strings there is none of it.
pub(super) fn guarded(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c != '\n' && is_hostile(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    // the old form of workflow commands is obeyed anywhere in a line
    out.replace("##[", "\\u0023#[")
}

/// The JSON Schema (draft-07) of the report.
#[must_use]
pub fn schema() -> schemars::Schema {
    schemars::generate::SchemaSettings::draft07()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<Document>()
}
