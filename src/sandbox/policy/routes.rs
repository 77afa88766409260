//! The literal paths that a policy names, served beside those of the sandbox.
//! Must not know what the policy declares of them, except whether the key stands in the path.

use percent_encoding::percent_decode_str;

use crate::contract::Carrier;
use crate::sandbox::http::route::{Operation, Route, route};
use crate::sandbox::store::effect::Kind;

const WRITING: [&str; 4] = ["POST", "PUT", "PATCH", "DELETE"];

/// What a request means: an operation of the sandbox first, then a route of the policy.
pub(super) fn find(routes: &[String], carrier: &Carrier, method: &str, path: &str) -> Route {
    if let Carrier::Path(template) = carrier
        && template.starts_with('/')
        && let Some(holes) = holes(template, path)
        && WRITING.contains(&method)
    {
        return declared(template, &holes);
    }
    match route(method, path) {
        Route::Unknown | Route::WrongMethod(_) => {}
        known => return known,
    }
    let patterns = || routes.iter().filter_map(|on| on.split_once(' '));
    for (wanted, pattern) in patterns() {
        let fits = wanted == method || (wanted == "*" && WRITING.contains(&method));
        if let Some(holes) = holes(pattern, path).filter(|_| fits) {
            return declared(pattern, &holes);
        }
    }
    if matches!(method, "GET" | "HEAD") {
        for (_, pattern) in patterns().filter(|(_, pattern)| !pattern.contains('{')) {
            if holes(pattern, path).is_some() {
                return Route::List(Kind::Payment);
            }
            if let Some(holes) = holes(&format!("{pattern}/{{id}}"), path) {
                let id = holes.into_iter().next().map(|(_, id)| id);
                return Route::Show(id.unwrap_or_default());
            }
        }
    }
    if patterns().any(|(_, pattern)| holes(pattern, path).is_some()) {
        return Route::WrongMethod("GET, POST, PUT, PATCH, DELETE");
    }
    route(method, path)
}

/// The key that stands in the path.
pub(super) fn key_in_path(
    routes: &[String],
    hole: &str,
    method: &str,
    path: &str,
) -> Option<String> {
    let templates = std::iter::once(hole).chain(routes.iter().filter_map(|on| {
        let (wanted, pattern) = on.split_once(' ')?;
        (wanted == method || wanted == "*").then_some(pattern)
    }));
    let mut found = templates.filter_map(|template| holes(template, path));
    let name = hole.trim_matches(['{', '}']);
    found
        .find_map(|holes| {
            let mut holes = holes.into_iter();
            holes.find(|(known, _)| known == "key" || known == name)
        })
        .map(|(_, key)| key)
}

fn declared(pattern: &str, holes: &[(String, String)]) -> Route {
    let others = holes.iter().filter(|(name, _)| name != "key");
    let resource: Vec<&str> = others.map(|(_, value)| value.as_str()).collect();
    Route::Do(Operation::Declared {
        path: pattern.to_owned(),
        resource: resource.join("/"),
    })
}

/// What stands in the holes (`{id}`, `{{key}}`) of a pattern, if the path fits it.
fn holes(pattern: &str, path: &str) -> Option<Vec<(String, String)>> {
    let segments = |text: &str| -> Vec<String> {
        let whole = text.split('?').next().unwrap_or_default();
        whole
            .trim_matches('/')
            .split('/')
            .map(str::to_owned)
            .collect()
    };
    let (pattern, path) = (segments(pattern), segments(path));
    if pattern.len() != path.len() {
        return None;
    }
    let mut holes = Vec::new();
    for (wanted, found) in pattern.iter().zip(&path) {
        if wanted.starts_with('{') && wanted.ends_with('}') {
            let value = percent_decode_str(found).decode_utf8_lossy().into_owned();
            holes.push((wanted.trim_matches(['{', '}']).to_owned(), value));
        } else if wanted != found {
            return None;
        }
    }
    Some(holes)
}
