//! From flags to a loaded configuration: finds the target file, policies and certificates, and shows what is wrong.
//! It must not decide what they mean.

use std::cell::RefCell;
use std::path::Path;

use secrecy::ExposeSecret;

use super::bounded;
use super::deliver::refuse;
use super::flags::FlagArgs;
use super::look::Look;
use super::private;
use crate::bundled;
use crate::config::{Diagnostic, Flags, Inputs, Loaded, Source, load};
use crate::exit;

/// The file that is looked for where none is named.
pub const FILE: &str = "doubletap.toml";

/// The configuration of these flags, or the exit code after everything wrong was shown.
pub fn load_target(args: &FlagArgs, look: &Look) -> Result<Loaded, u8> {
    let flags = args.flags();
    let target = find_target(args, &flags).map_err(|why| refuse(exit::USAGE, why))?;
    let mut loaded = load_source(target, &flags).map_err(|errors| show(&errors, look))?;
    if let Some(path) = &loaded.settings.cacert {
        let pem = bounded::read(path).map_err(|error| {
            refuse(
                exit::USAGE,
                format!("cannot read the certificates in {path}: {error}"),
            )
        })?;
        if !pem.windows(10).any(|part| part == b"-----BEGIN") {
            return Err(refuse(
                exit::USAGE,
                format!("{path} holds no certificate in PEM form"),
            ));
        }
        loaded.target.ca_pem = Some(pem);
    }
    if !look.is_quiet() {
        if let Some(path) = loaded
            .file
            .as_ref()
            .filter(|path| holds_secrets(path, &loaded))
        {
            private::note(
                path,
                "it holds credentials; `${VARIABLE}` keeps them out of it",
            );
        }
        for warning in &loaded.warnings {
            crate::cli::complain!("warning: {warning}");
        }
    }
    Ok(loaded)
}

/// Whether a target file holds a secret itself, and not only the name of a variable that does.
fn holds_secrets(path: &str, loaded: &Loaded) -> bool {
    let Ok(text) = bounded::read_text(path) else {
        return false;
    };
    let mut secrets = loaded.target.secrets.iter();
    secrets.any(|secret| text.contains(secret.value.expose_secret()))
}

/// The configuration of a text, with bundled policies, policy files and the environment.
pub fn load_source(target: Option<Source>, flags: &Flags) -> Result<Loaded, Vec<Diagnostic>> {
    let folder = target
        .as_ref()
        .and_then(|source| Path::new(&source.name).parent().map(Path::to_owned));
    // a file's own names are meant from where the file lies, those of the command line from here
    let unreadable = RefCell::new(Vec::new());
    let policy = |name: &str| {
        if let Err(why) = read_policy(name) {
            unreadable.borrow_mut().push(Diagnostic::nowhere(why));
        }
        find_policy(name)
    };
    let policies = |name: &str| {
        let beside = || policy(folder.as_ref()?.join(name).to_str()?);
        policy(name).or_else(beside)
    };
    let loaded = load(Inputs {
        target,
        flags,
        env: &|name| std::env::var(name).ok(),
        policies: &policies,
        policy_names: &policy_names(),
    });
    // a file that is there and cannot be read is no name that nobody knows
    match unreadable.borrow_mut().pop() {
        Some(why) if loaded.is_err() => Err(vec![why]),
        _ => loaded,
    }
}

/// A policy by its name, or from a file.
pub fn find_policy(name: &str) -> Option<Source> {
    if let Some((file, text)) = bundled::policy(name) {
        return Some(Source::new(file, text));
    }
    read_policy(name).ok().flatten()
}

/// A policy from a file; `None` where there is none.
fn read_policy(name: &str) -> Result<Option<Source>, String> {
    let is_path = name.contains('/') || name.contains('\\') || name.ends_with(".toml");
    if !is_path {
        return Ok(None);
    }
    match bounded::read_text(name) {
        Ok(text) => Ok(Some(Source::new(name, text))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("cannot read the policy {name}: {error}")),
    }
}

/// The names of the bundled policies, without the floor that lies under all of them.
#[must_use]
pub fn policy_names() -> Vec<String> {
    bundled::policies()
        .iter()
        .map(|(name, _)| {
            name.trim_start_matches("policies/")
                .trim_end_matches(".toml")
                .to_owned()
        })
        .filter(|name| name != crate::config::FLOOR)
        .collect()
}

/// Shows what is wrong, and gives the exit code of it.
pub fn show(errors: &[Diagnostic], look: &Look) -> u8 {
    for (n, error) in errors.iter().enumerate() {
        if n > 0 {
            crate::cli::complain!();
        }
        {
            use std::io::Write as _;
            // whoever has closed standard error does not want to know
            let _ = writeln!(anstream::stderr(), "{}", error.render(look.color_stderr()));
        }
    }
    exit::USAGE
}

/// The named file; without one, and without --url, the nearest `doubletap.toml` from here upwards.
fn find_target(args: &FlagArgs, flags: &Flags) -> Result<Option<Source>, String> {
    let path = match &args.file {
        Some(path) => Some(path.clone()),
        None if !flags.url.is_empty() => None,
        None => upwards(),
    };
    let Some(path) = path else { return Ok(None) };
    match bounded::read_text(&path) {
        Ok(text) => Ok(Some(Source::new(path, text))),
        Err(error) => Err(format!("cannot read the target file {path}: {error}")),
    }
}

fn upwards() -> Option<String> {
    let here = std::env::current_dir().ok()?;
    let found = here
        .ancestors()
        .map(|folder| folder.join(FILE))
        .find(|path| path.is_file())?;
    // the name as people would type it
    let shown = found.strip_prefix(&here).map_or(found.as_path(), Path::new);
    Some(shown.to_string_lossy().into_owned())
}
