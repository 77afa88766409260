//! Paths with their parameters: filled by the POST that makes what stands before them, else by their examples.
//! It must not know bodies.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::name::placeholder;
use super::operation::Operation;
use super::parameter::Parameters;

/// What may stand in a path or query as it is.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');
/// What a document's own path may hold beside that.
const WRITTEN: &AsciiSet = &PLAIN
    .remove(b'/')
    .remove(b':')
    .remove(b'@')
    .remove(b'!')
    .remove(b',')
    .remove(b';')
    .remove(b'=')
    .remove(b'+')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'\'');

/// A piece of a path.
#[derive(Clone, Debug, PartialEq)]
enum Piece {
    /// As it is written.
    Text(String),
    /// A parameter with an example.
    Hole { name: String, example: String },
}

/// The path of an operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    method: String,
    pieces: Vec<Piece>,
    query: String,
}

impl Path {
    /// Reads one; `Err` says why it is none.
    pub fn new(method: &str, path: &str, parameters: &Parameters) -> Result<Self, String> {
        if !path.starts_with('/') {
            return Err("its path does not begin with `/`".to_owned());
        }
        let mut pieces = Vec::new();
        let mut rest = path;
        while let Some((before, after)) = rest.split_once('{') {
            let Some((name, next)) = after.split_once('}') else {
                break;
            };
            let told = parameters.path.iter().find(|(known, _)| known == name);
            pieces.push(Piece::Text(encoded(before, WRITTEN)));
            pieces.push(Piece::Hole {
                name: name.to_owned(),
                example: encoded(told.map_or("doubletap", |(_, value)| value), PLAIN),
            });
            rest = next;
        }
        // some documents tell operations of one path apart by a fragment
        let rest = rest.split('#').next().unwrap_or_default();
        let (rest, mut query) = match rest.split_once('?') {
            Some((rest, query)) => (rest, vec![encoded(query, WRITTEN)]),
            None => (rest, Vec::new()),
        };
        pieces.push(Piece::Text(encoded(rest, WRITTEN)));
        query.extend(parameters.query.iter().map(|(name, value)| {
            // a variable of the environment is no text of the document
            let value = match value.starts_with("${") {
                true => value.clone(),
                false => encoded(value, PLAIN),
            };
            format!("{}={value}", encoded(name, PLAIN))
        }));
        let query = match query.is_empty() {
            true => String::new(),
            false => format!("?{}", query.join("&")),
        };
        Ok(Self {
            method: method.to_uppercase(),
            pieces,
            query,
        })
    }

    /// The path, where it has no parameter.
    fn whole(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [Piece::Text(text)] => Some(text.trim_end_matches('/')),
            _ => None,
        }
    }
}

fn encoded(text: &str, set: &'static AsciiSet) -> String {
    utf8_percent_encode(text, set).to_string()
}

/// Writes the request lines, and says what fills their parameters.
pub fn fill(operations: &mut [Operation], paths: &[Path]) {
    let makers: Vec<(String, String)> = operations
        .iter()
        .zip(paths)
        .filter(|(_, path)| path.method == "POST")
        .filter_map(|(one, path)| Some((path.whole()?.to_owned(), one.name.clone())))
        .collect();
    for (operation, path) in operations.iter_mut().zip(paths) {
        let mut line = String::new();
        for piece in &path.pieces {
            match piece {
                Piece::Text(text) => line.push_str(text),
                Piece::Hole { name, example } => {
                    let before = line.trim_end_matches('/');
                    let maker = makers.iter().find(|(made, _)| made == before);
                    match maker.filter(|(_, by)| *by != operation.name) {
                        Some((_, by)) => {
                            let name = placeholder(name);
                            line.push_str(&format!("{{{{{name}}}}}"));
                            operation.needs.push((name, by.clone()));
                        }
                        None => {
                            line.push_str(example);
                            operation.examples.push(name.clone());
                        }
                    }
                }
            }
        }
        operation.request = format!("{} {line}{}", path.method, path.query);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(path: &str) -> Result<Path, String> {
        Path::new("post", path, &Parameters::default())
    }

    #[test]
    fn what_a_request_line_cannot_hold_is_encoded_or_left_out() {
        let whole = |path: &str| line(path).unwrap().whole().unwrap().to_owned();
        assert_eq!(whole("/a b"), "/a%20b");
        assert_eq!(
            line("/${HOME}/x").unwrap().pieces[0],
            Piece::Text("/%24".to_owned())
        );
        assert_eq!(whole("/pay#card"), "/pay");
        assert!(line("pay").is_err());
    }
}
