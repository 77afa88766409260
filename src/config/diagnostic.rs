//! What is wrong with a file or an argument, shown with the line, a caret, and one line that helps.
//! It must not know what is being checked, and never shows a value that looks like a secret.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use super::mask::mask;
use super::source::Source;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What is wrong: a lower-case fragment.
    pub title: String,
    /// The text that it is about; `None` where nothing was written.
    pub source: Option<Source>,
    /// The bytes that are wrong.
    pub span: Range<usize>,
    /// What the caret says.
    pub label: String,
    /// Other places that matter.
    pub also: Vec<(Range<usize>, String)>,
    /// One line that helps.
    pub help: Option<String>,
}

impl Diagnostic {
    /// Something wrong at a place.
    pub fn new(source: &Source, span: Range<usize>, title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            source: Some(source.clone()),
            span,
            label: String::new(),
            also: Vec::new(),
            help: None,
        }
    }

    /// Something wrong that stands nowhere: what is missing altogether.
    pub fn nowhere(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            source: None,
            span: 0..0,
            label: String::new(),
            also: Vec::new(),
            help: None,
        }
    }

    /// Adds what the caret says.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Adds another place in the same text.
    #[must_use]
    pub fn also(mut self, span: Range<usize>, label: impl Into<String>) -> Self {
        self.also.push((span, label.into()));
        self
    }

    /// Adds the line that helps.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Replaces a secret value by its name, wherever the error would show it.
    pub fn conceal(&mut self, name: &str, value: &str) {
        let texts = [&mut self.title, &mut self.label]
            .into_iter()
            .chain(self.help.as_mut());
        for text in texts.chain(self.also.iter_mut().map(|(_, label)| label)) {
            if text.contains(value) {
                *text = text.replace(value, name);
            }
        }
        if let Some(source) = &mut self.source
            && source.text.contains(value)
        {
            source.text = source.text.replace(value, &"*".repeat(value.len()));
        }
    }

    /// Hides a value in the quoted text.
    pub fn conceal_quoted(&mut self, value: &str) {
        if let Some(source) = &mut self.source {
            source.text = source.text.replace(value, &"*".repeat(value.len()));
        }
    }

    /// The error as it is printed.
    #[must_use]
    pub fn render(&self, color: bool) -> String {
        let renderer = if color {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        let title = printable(&self.title);
        let mut group = annotate_snippets::Group::with_title(Level::ERROR.primary_title(title));
        if let Some(source) = &self.source {
            let text = mask(&printable(&source.text));
            let end = text.len();
            let within = |span: &Range<usize>| {
                let start = floor(&text, span.start.min(end));
                start..floor(&text, span.end.clamp(start, end)).max(start)
            };
            let (primary, others): (_, Vec<_>) = (
                within(&self.span),
                self.also
                    .iter()
                    .map(|(span, label)| (within(span), printable(label)))
                    .collect(),
            );
            let snippet = Snippet::source(text.clone())
                .path(printable(&source.name))
                .annotation(
                    AnnotationKind::Primary
                        .span(primary)
                        .label(printable(&self.label)),
                )
                .annotations(
                    others
                        .into_iter()
                        .map(|(span, label)| AnnotationKind::Context.span(span).label(label)),
                );
            group = group.element(snippet);
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(printable(help)));
        }
        renderer.render(&[group])
    }
}

/// The text without what could steer a terminal, each character replaced by one of as many bytes.
fn printable(text: &str) -> String {
    text.chars()
        .map(|c| match (c, c.len_utf8()) {
            ('\n' | '\t', _) => c.to_string(),
            (c, len) if c.is_control() => "?".repeat(len),
            // what turns the direction of writing can make a line look like another one
            (
                '\u{202a}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}'
                | '\u{200b}'..='\u{200f}'
                | '\u{feff}',
                _,
            ) => "\u{fffd}".to_owned(),
            _ => c.to_string(),
        })
        .collect()
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_the_caret_and_the_help_are_shown() {
        let source = Source::new("t.toml", "a = 1\nb = \x1b[31m2\n");
        let shown = Diagnostic::new(&source, 10..11, "wrong")
            .label("here")
            .help("do that")
            .render(false);
        assert!(shown.starts_with("error: wrong"), "{shown}");
        assert!(shown.contains("t.toml:2:5"), "{shown}");
        assert!(
            shown.contains("^ here") && shown.contains("help: do that"),
            "{shown}"
        );
        assert!(!shown.contains('\x1b'), "{shown:?}");
    }

    #[test]
    fn a_secret_is_shown_by_its_name_only() {
        let source = Source::new("t.toml", "id = \"hush-hush\"");
        let mut wrong = Diagnostic::new(&source, 5..16, "`hush-hush` is no number");
        wrong.conceal("$ID", "hush-hush");
        let shown = wrong.render(false);
        assert!(
            shown.contains("`$ID` is no number") && !shown.contains("hush"),
            "{shown}"
        );
    }
}
