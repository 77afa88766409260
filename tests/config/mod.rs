//! Configurations as users write them, and what becomes of them.
//! Texts are handed in; policies are the bundled ones.

mod commands;
mod decisions;
mod invalid;
mod merging;
mod policies;
mod shipped;

use std::collections::BTreeMap;

use doubletap::config::{Diagnostic, Flags, Inputs, Loaded, Source, load};

/// Loads a file (or none) with flags and an environment.
pub fn loading(
    file: Option<&str>,
    flags: &Flags,
    env: &[(&str, &str)],
) -> Result<Loaded, Vec<Diagnostic>> {
    let env: BTreeMap<String, String> = env
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    let find = |name: &str| {
        if name.ends_with(".toml") {
            let folder =
                std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/invalid/policies");
            let text = std::fs::read_to_string(folder.join(name)).ok()?;
            return Some(Source::new(name, text));
        }
        let (name, text) = doubletap::bundled::policy(name)?;
        Some(Source::new(name, text))
    };
    let names: Vec<String> = doubletap::bundled::policies()
        .iter()
        .map(|(name, _)| {
            name.trim_start_matches("policies/")
                .trim_end_matches(".toml")
                .to_owned()
        })
        .filter(|name| name != "floor")
        .collect();
    load(Inputs {
        target: file.map(|text| Source::new("doubletap.toml", text)),
        flags,
        env: &|name| env.get(name).cloned(),
        policies: &find,
        policy_names: &names,
    })
}

/// Loads what must be right.
pub fn loaded(file: &str, flags: &Flags, env: &[(&str, &str)]) -> Loaded {
    loading(Some(file), flags, env).unwrap_or_else(|errors| panic!("{}", shown(&errors)))
}

/// Errors as users see them.
pub fn shown(errors: &[Diagnostic]) -> String {
    errors
        .iter()
        .map(|error| error.render(false))
        .collect::<Vec<_>>()
        .join("\n\n")
}

/// A list of texts.
pub fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}
