//! The formats by name, and the one door to all of them.
//! It must not know where a report goes.

use super::{Document, Options, json, junit, table};

/// A report's format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// For people.
    Table,
    /// Everything, for programs.
    Json,
    /// For CI systems.
    Junit,
}

impl std::str::FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "table" => Ok(Self::Table),
            "json" => Ok(Self::Json),
            "junit" => Ok(Self::Junit),
            _ => Err(format!(
                "`{text}` is no report format; known: table, json, junit"
            )),
        }
    }
}

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Table => "table",
            Self::Json => "json",
            Self::Junit => "junit",
        })
    }
}

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
        Format::Junit => junit::render(document).map_err(|error| refused(error.to_string())),
    }
}
