//! The report as JSON, and the schema that describes it.
//! It must not know what the fields mean.

use super::Document;

/// The report as indented JSON with a line break at its end.
///
/// # Errors
/// Never for a [`Document`]; the serializer's interface has one.
pub fn render(document: &Document) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(document)?;
    text.push('\n');
    Ok(text)
}

/// The JSON Schema (draft-07) of the report.
#[must_use]
pub fn schema() -> schemars::Schema {
    schemars::generate::SchemaSettings::draft07()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<Document>()
}
