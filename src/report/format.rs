//! The formats by name, and the one door to all of them.
//! It must not know where a report goes.

use super::{
    Document, Options, github, gitlab, html, json, junit, markdown, ndjson, sarif, table, tap,
};

pub use crate::config::settings::Format;

/// A report that could not be made.
#[derive(Debug, thiserror::Error)]
#[error("the {format} report could not be made: {why}")]
pub struct RenderError {
    format: Format,
    why: String,
}

/// The report in a format. Only formats for people heed the options.
///
/// # Errors
/// Where a serializer refuses; the texts are made safe before, so that none should.
pub fn render(
    document: &Document,
    format: Format,
    options: &Options,
) -> Result<String, RenderError> {
    let refused = |why: String| RenderError { format, why };
    match format {
        Format::Table => Ok(table::render(document, options)),
        Format::Json => json::render(document).map_err(|error| refused(error.to_string())),
        Format::Ndjson => ndjson::render(document).map_err(|error| refused(error.to_string())),
        Format::Junit => junit::render(document).map_err(|error| refused(error.to_string())),
        Format::Sarif => sarif::render(document).map_err(|error| refused(error.to_string())),
        Format::Markdown => Ok(markdown::render(document, options)),
        Format::Github => Ok(github::render(document)),
        Format::Gitlab => gitlab::render(document).map_err(|error| refused(error.to_string())),
        Format::Tap => Ok(tap::render(document)),
        Format::Html => html::render(document).map_err(|error| refused(error.to_string())),
    }
}
