//! Where every value of the merged target was written: a file's line, an argument, or nowhere.
//! It must not know what the values mean.

use std::ops::Range;

use super::diagnostic::Diagnostic;
use super::document::Document;
use super::source::Source;

/// The name under which arguments are shown.
pub const COMMAND_LINE: &str = "command line";

/// The places of all values.
#[derive(Debug, Default)]
pub struct Places<'s> {
    document: Option<&'s Document<'s>>,
    written: Vec<(Vec<String>, Source, Range<usize>)>,
}

impl<'s> Places<'s> {
    /// The places of a file, if there is one.
    pub fn of(document: Option<&'s Document<'s>>) -> Self {
        Self {
            document,
            written: Vec::new(),
        }
    }

    /// Notes that a value, and all below it, was written elsewhere; later notes win.
    pub fn write(&mut self, path: &[&str], source: &Source, span: Range<usize>) {
        self.written.push((
            path.iter().map(|name| (*name).to_owned()).collect(),
            source.clone(),
            span,
        ));
    }

    /// The text and the place of the value at a path, or of what stands nearest above it.
    pub fn of_value(&self, path: &[&str]) -> Option<(&Source, Range<usize>)> {
        self.overlaid(path).or_else(|| {
            let document = self.document?;
            document
                .value_span(path)
                .map(|span| (document.source, span))
        })
    }

    /// An error at a value.
    pub fn error(&self, path: &[&str], title: impl Into<String>) -> Diagnostic {
        match self.of_value(path).or_else(|| self.fallback()) {
            Some((source, span)) => Diagnostic::new(source, span, title),
            None => Diagnostic::nowhere(title),
        }
    }

    /// An error at a part of a text: the first place within the value where `part` stands as it is.
    pub fn error_within(&self, path: &[&str], part: &str, title: impl Into<String>) -> Diagnostic {
        let mut error = self.error(path, title);
        if let Some(source) = &error.source
            && let Some(at) = source
                .text
                .get(error.span.clone())
                .and_then(|text| text.find(part))
        {
            let start = error.span.start + at;
            error.span = start..start + part.len();
        }
        error
    }

    /// An error at a name.
    pub fn error_at_name(&self, path: &[&str], title: impl Into<String>) -> Diagnostic {
        let mut error = self.error(path, title);
        if self.overlaid(path).is_none()
            && let Some(span) = self.document.and_then(|d| d.key_span(path))
        {
            error.span = span;
        }
        error
    }

    /// The place of a value in words: `FILE:LINE`, the flag, or `None` where it was not written.
    pub fn origin(&self, path: &[&str]) -> Option<String> {
        let exactly = |(written, _, _): &&(Vec<String>, Source, Range<usize>)| written == path;
        if let Some((_, source, _)) = self.written.iter().rev().find(exactly) {
            // `--flag value`, or `VARIABLE=value`
            let name = source.text.split([' ', '=']).next();
            return name.map(str::to_owned);
        }
        let document = self.document.filter(|d| d.has(path))?;
        Some(
            document
                .source
                .origin(document.value_span(path)?.start)
                .to_string(),
        )
    }

    fn overlaid(&self, path: &[&str]) -> Option<(&Source, Range<usize>)> {
        let fits = |(written, _, _): &&(Vec<String>, Source, Range<usize>)| {
            written.len() <= path.len() && written.iter().zip(path).all(|(a, b)| a == b)
        };
        let (_, source, span) = self
            .written
            .iter()
            .filter(fits)
            .max_by_key(|(written, _, _)| written.len())?;
        Some((source, span.clone()))
    }

    /// Without a better place: the file's first line, or the first argument.
    fn fallback(&self) -> Option<(&Source, Range<usize>)> {
        match self.document {
            Some(document) => Some((document.source, 0..0)),
            None => self
                .written
                .first()
                .map(|(_, source, span)| (source, span.clone())),
        }
    }
}
