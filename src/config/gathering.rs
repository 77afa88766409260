//! Settings from four places, the first that says something wins: flag, environment, file, built-in; and which one it was.
//! It must not know what a setting does.

use std::str::FromStr;

use super::diagnostic::Diagnostic;
use super::places::{COMMAND_LINE, Places};
use super::source::Source;
use crate::contract::Length;

/// A setting, its value and its origin, as `check` shows them.
pub type Origins = Vec<(String, String, String)>;

/// Gathers settings.
pub struct Gathering<'a> {
    /// The environment.
    pub env: &'a dyn Fn(&str) -> Option<String>,
    /// Where the file's values stand.
    pub places: &'a Places<'a>,
    /// What was wrong.
    pub errors: Vec<Diagnostic>,
    /// Where each setting came from.
    pub origins: Origins,
}

impl Gathering<'_> {
    /// One value.
    pub fn one<T>(&mut self, name: &str, flag: Option<&str>, file: Option<T>, default: T) -> T
    where
        T: FromStr<Err: ToString> + ToString,
    {
        let (value, origin) = match self.said(name, flag) {
            Some((text, source, start, origin)) => match text.parse::<T>() {
                Ok(value) => (value, origin),
                Err(error) => {
                    self.wrong(&source, start, &error.to_string());
                    return default;
                }
            },
            None => match file {
                Some(value) => (value, self.file_origin(name)),
                None => (default, "built-in".to_owned()),
            },
        };
        self.origins
            .push((name.to_owned(), value.to_string(), origin));
        value
    }

    /// A value that may be missing; what its absence means is said by `otherwise`.
    pub fn maybe<T>(
        &mut self,
        name: &str,
        flag: Option<&str>,
        file: Option<T>,
        otherwise: &str,
    ) -> Option<T>
    where
        T: FromStr<Err: ToString> + ToString,
    {
        if flag.is_none() && file.is_none() && (self.env)(&variable(name)).is_none() {
            self.origins
                .push((name.to_owned(), otherwise.to_owned(), "built-in".to_owned()));
            return None;
        }
        let (text, source, start, origin) = match self.said(name, flag) {
            Some(said) => said,
            None => {
                let value = file?;
                self.origins
                    .push((name.to_owned(), value.to_string(), self.file_origin(name)));
                return Some(value);
            }
        };
        match text.parse::<T>() {
            Ok(value) => {
                self.origins
                    .push((name.to_owned(), value.to_string(), origin));
                Some(value)
            }
            Err(error) => {
                self.wrong(&source, start, &error.to_string());
                None
            }
        }
    }

    /// A switch.
    pub fn switch(&mut self, name: &str, flag: bool, file: Option<bool>) -> bool {
        self.one(name, flag.then_some("true"), file, false)
    }

    /// A list; in a variable its members are separated by commas.
    pub fn list(
        &mut self,
        flag_name: &str,
        file_name: &str,
        flag: &[String],
        file: &[String],
        otherwise: &str,
    ) -> Vec<String> {
        let in_env = (self.env)(&variable(flag_name)).filter(|text| !text.is_empty());
        let (values, origin) = if !flag.is_empty() {
            (flag.to_vec(), format!("--{flag_name}"))
        } else if let Some(text) = in_env {
            (
                text.split(',').map(|part| part.trim().to_owned()).collect(),
                variable(flag_name),
            )
        } else if !file.is_empty() {
            (file.to_vec(), self.file_origin(file_name))
        } else {
            (Vec::new(), "built-in".to_owned())
        };
        let shown = if values.is_empty() {
            otherwise.to_owned()
        } else {
            values.join(", ")
        };
        self.origins.push((file_name.to_owned(), shown, origin));
        values
    }

    fn said(&self, name: &str, flag: Option<&str>) -> Option<(String, Source, usize, String)> {
        if let Some(text) = flag {
            let shown = format!("--{name} {text}");
            return Some((
                text.to_owned(),
                Source::new(COMMAND_LINE, shown),
                name.len() + 3,
                format!("--{name}"),
            ));
        }
        let variable = variable(name);
        let text = (self.env)(&variable).filter(|text| !text.is_empty())?;
        let shown = format!("{variable}={text}");
        Some((
            text,
            Source::new("environment", shown),
            variable.len() + 1,
            variable,
        ))
    }

    fn file_origin(&self, name: &str) -> String {
        let origin = self
            .places
            .origin(&["run", name])
            .or_else(|| self.places.origin(&[name]));
        origin.unwrap_or_else(|| "built-in".to_owned())
    }

    /// A text that does not say what it should.
    pub fn wrong(&mut self, source: &Source, start: usize, message: &str) {
        // the standard library's words for what is no number are about digits and literals
        let text = source.text.get(start..).unwrap_or_default();
        let number = format!("`{text}` is no number; write digits, such as 10");
        let switch = format!("`{text}` is neither true nor false; write one of the two");
        let message = match message {
            m if m.contains("digit") || m.contains("float") || m.contains("integer") => &number,
            m if m.contains("`true`") => &switch,
            m => m,
        };
        let (title, help) = message.split_once("; ").unwrap_or((message, ""));
        let mut error = Diagnostic::new(source, start..source.text.len(), title);
        if !help.is_empty() {
            error = error.help(help);
        }
        self.errors.push(error);
    }

    /// A value that was read and cannot be: the caret goes where it came from.
    pub fn refuse(&mut self, name: &str, title: String, help: &str) {
        let said = self
            .origins
            .iter()
            .rev()
            .find(|(known, _, _)| known == name);
        let (shown, start, place) = match said {
            Some((_, value, origin)) if origin.starts_with("--") => {
                (format!("{origin} {value}"), origin.len() + 1, COMMAND_LINE)
            }
            Some((_, value, origin)) if origin.starts_with("DOUBLETAP_") => {
                (format!("{origin}={value}"), origin.len() + 1, "environment")
            }
            _ => {
                let at = match self.places.origin(&["run", name]) {
                    Some(_) => &["run", name][..],
                    None => &[name][..],
                };
                let error = self.places.error(at, title);
                self.errors.push(error.help(help));
                return;
            }
        };
        let source = Source::new(place, shown);
        let error = Diagnostic::new(&source, start..source.text.len(), title);
        self.errors.push(error.help(help));
    }

    /// A number outside of its bounds.
    pub fn bounded(&mut self, name: &str, value: u32, least: u32, most: u32) {
        if !(least..=most).contains(&value) {
            let title = format!("{name} must be {least} to {most}, not {value}");
            let help = if value > most {
                "more of them show no more races, they only load the service"
            } else if name == "rounds" {
                "give one at least"
            } else {
                "a burst of fewer is no race: there is nobody to race with"
            };
            self.refuse(name, title, help);
        }
    }
}

impl Gathering<'_> {
    /// A length of time outside of its bounds.
    pub fn within(&mut self, name: &str, value: Length, least: Length, most: Length, such: &str) {
        if value < least || value > most {
            let bounds = match least.0.is_zero() {
                true => format!("{most} at the most"),
                false => format!("{least} to {most}"),
            };
            let shown = match value.0.is_zero() {
                true => "0s".to_owned(),
                false => value.to_string(),
            };
            let title = format!("{name} must be {bounds}, not {shown}");
            self.refuse(name, title, &format!("such as {such}"));
        }
    }
}

/// `max-requests` in the environment: `DOUBLETAP_MAX_REQUESTS`.
pub fn variable(name: &str) -> String {
    format!("DOUBLETAP_{}", name.to_uppercase().replace('-', "_"))
}

impl Gathering<'_> {
    /// A closed word, which in the file is a text too.
    pub fn word<T>(&mut self, name: &str, flag: Option<&str>, file: Option<&str>, default: T) -> T
    where
        T: FromStr<Err = String> + ToString,
    {
        let file = match file.map(str::parse::<T>) {
            Some(Err(error)) => {
                let (title, help) = error.split_once("; ").unwrap_or((&error, ""));
                self.errors
                    .push(self.places.error(&["run", name], title).help(help));
                None
            }
            Some(Ok(value)) => Some(value),
            None => None,
        };
        self.one(name, flag, file, default)
    }

    /// A length of time that may stand in `[run]` or at the top of the file.
    pub fn length(
        &mut self,
        name: &str,
        flag: Option<&str>,
        run: Option<Length>,
        top: Option<Length>,
        default: Length,
    ) -> Length {
        if run.is_some() && top.is_some() {
            let error = self
                .places
                .error(&["run", name], format!("`{name}` is given twice"));
            self.errors.push(
                error
                    .label("here and at the top of the file")
                    .help("keep one of the two"),
            );
        }
        self.one(name, flag, run.or(top), default)
    }
}
