//! An OpenAPI document as a target file: every POST and PATCH an operation, with bodies made from examples and schemas.
//! It must not know where the document comes from, nor send anything.

mod body;
mod change;
mod document;
mod example;
mod file;
mod name;
mod operation;
mod parameter;
mod path;
mod scalar;
mod security;
mod toml_text;

use serde_json::Value;

pub use file::Written;

/// A document that gives no target.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum OpenApiError {
    /// Not one.
    #[error(
        "this is no OpenAPI document: it has no `openapi` with a version 3 (Swagger 2 can be converted with public tools)"
    )]
    NoDocument,
    /// Nothing to test.
    #[error("the document has no POST or PATCH whose body can be made: nothing to test")]
    NoOperation,
}

/// Makes the target file.
///
/// # Errors
/// A document of another kind, or without an operation to test.
pub fn target(spec: &Value) -> Result<Written, OpenApiError> {
    let version = spec["openapi"].as_str().unwrap_or_default();
    if !version.starts_with("3.") {
        return Err(OpenApiError::NoDocument);
    }
    let document = document::Document::new(spec);
    let credentials = security::all(document);
    let found = operation::all(document, &credentials.query);
    if found.operations.is_empty() {
        return Err(OpenApiError::NoOperation);
    }
    Ok(file::write(document, &found, &credentials))
}
