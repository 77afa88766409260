//! `doubletap init`: a commented target file, from a curl command line or from flags. Secrets become `${VARIABLES}`.
//! It must not send anything, nor replace a file without being told to.

use std::cell::RefCell;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::curl;
use super::deliver::refuse;
use super::draft::Draft;
use super::draft_text::Written;
use super::faults::say;
use super::flags::{AccountArgs, ContractArgs, EffectArgs, RequestArgs};
use super::look::Look;
use super::target::{FILE, show};
use crate::config::{Flags, Source};
use crate::exit;

/// Write a target file, from a curl command line or from flags
///
/// The file is commented; secrets become ${VARIABLES}, and what to set is said. Nothing is sent.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  doubletap init --from-curl \"curl http://localhost:8080/payments \\
    -H 'Authorization: Bearer ...' --json '{\\\"amount\\\":49900}'\"
  doubletap init --url http://localhost:8080/payments \\
    --json '{\"order_ref\":\"{{ref}}\",\"amount\":49900}' --policy ietf
")]
pub struct InitArgs {
    /// A curl command line, as one argument (browsers copy requests as such)
    #[arg(long, value_name = "COMMAND")]
    from_curl: Option<String>,

    /// A provider's sandbox as a target: URL, credentials from the environment, a harmless operation, limits; without a name: which there are
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["from_curl", "openapi"])]
    provider: Option<String>,

    /// An OpenAPI document, 3.0 or 3.1, JSON or YAML: every POST and PATCH as an operation
    #[arg(long, value_name = "FILE", conflicts_with = "from_curl")]
    openapi: Option<PathBuf>,

    /// The file to write; `-` for standard output
    #[arg(short, long, value_name = "PATH", default_value = FILE)]
    output: PathBuf,

    /// Replace the file if it is there
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    request: RequestArgs,
    #[command(flatten)]
    account: AccountArgs,
    #[command(flatten)]
    contract: ContractArgs,
    #[command(flatten)]
    effect: EffectArgs,
}

/// Writes it, and gives the exit code.
#[must_use]
pub fn run(args: &InitArgs, look: &Look) -> u8 {
    let mut flags = Flags::default();
    args.request.lay(&mut flags);
    args.account.lay(&mut flags);
    args.contract.lay(&mut flags);
    args.effect.lay(&mut flags);
    if let Some(name) = &args.provider {
        return super::provider::write(name, &args.output, args.force, look);
    }
    if let Some(path) = &args.openapi {
        return super::openapi_file::write(path, args.output.as_path(), args.force, look);
    }
    let draft = match draft(args.from_curl.as_deref(), &flags) {
        Ok(draft) => draft,
        Err(why) => return refuse(exit::USAGE, why),
    };
    let mut written = draft.write();
    // a file that its own reader refuses would be a poor start
    match load_source_of(&written) {
        Ok(used) => written.needs(&used),
        Err(errors) => return show(&errors, look),
    }
    let code = if args.output.as_os_str() == "-" {
        say(&written.text)
    } else if let Err(code) = put(&args.output, args.force, &written.text) {
        return code;
    } else {
        exit::PASSED
    };
    if !look.is_quiet() {
        crate::cli::complain!("{}", next_steps(args, &draft, &written));
    }
    code
}

fn draft(line: Option<&str>, flags: &Flags) -> Result<Draft, String> {
    let mut draft = Draft::default();
    if let Some(line) = line {
        draft.take_curl(
            curl::parse(line)
                .map_err(|why| format!("the curl line cannot be taken over: {why}"))?,
        );
    }
    draft.take_flags(flags)?;
    Ok(draft)
}

fn load_source_of(written: &Written) -> Result<Vec<String>, Vec<crate::config::Diagnostic>> {
    readable(&written.text, &written.host, &written.variables)
}

/// Reads a target file as `run` would, whatever its variables hold; gives those that it asks for, in the file's order.
pub(super) fn readable(
    text: &str,
    host: &str,
    variables: &[(String, String)],
) -> Result<Vec<String>, Vec<crate::config::Diagnostic>> {
    // nothing is sent: what matters is whether the file means something, whatever its variables hold
    loaded(text, host, variables, true)
}

/// What looks live in a file that was made from somebody's document: `check` and `run` refuse it.
pub(super) fn refused(text: &str, host: &str, variables: &[(String, String)]) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    for error in loaded(text, host, variables, false)
        .err()
        .unwrap_or_default()
    {
        let title = crate::report::text::line(&error.title);
        if !told.contains(&title) {
            told.push(title);
        }
    }
    told
}

fn loaded(
    text: &str,
    host: &str,
    variables: &[(String, String)],
    allow_live: bool,
) -> Result<Vec<String>, Vec<crate::config::Diagnostic>> {
    let flags = Flags {
        allow_live,
        allow_host: vec![host.to_owned()],
        ..Flags::default()
    };
    let used = RefCell::new(Vec::new());
    let source = Source::new(FILE, text);
    crate::config::load(crate::config::Inputs {
        target: Some(source),
        flags: &flags,
        env: &|name| {
            if name.starts_with("DOUBLETAP_") {
                return None;
            }
            let mut used = used.borrow_mut();
            if !used.iter().any(|known| known == name) {
                used.push(name.to_owned());
            }
            match name {
                "DATABASE_URL" => Some("postgres://user@localhost/database".to_owned()),
                _ if variables.iter().any(|(known, _)| known == name) => {
                    Some(format!("value-of-{name}"))
                }
                _ => std::env::var(name)
                    .ok()
                    .or_else(|| Some(format!("value-of-{name}"))),
            }
        },
        policies: &super::target::find_policy,
        policy_names: &super::target::policy_names(),
    })
    .map(|_| used.into_inner())
}

/// Writes the file, unless it is there already.
pub(super) fn put(output: &Path, force: bool, text: &str) -> Result<(), u8> {
    let mut options = File::options();
    options.write(true);
    if force {
        options.create(true).truncate(true);
    } else {
        options.create_new(true);
    }
    let path = output.display();
    let done = options
        .open(output)
        .and_then(|mut file| file.write_all(text.as_bytes()));
    done.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => refuse(exit::USAGE, format!("{path} is there already; give another name with --output, or replace it with --force")),
        _ => refuse(exit::OUTPUT, format!("cannot write {path}: {error}")),
    })
}

fn next_steps(args: &InitArgs, draft: &Draft, written: &Written) -> String {
    let path = args.output.display().to_string();
    let named = if path == FILE {
        String::new()
    } else {
        format!(" {path}")
    };
    let mut text = String::new();
    if path != "-" {
        text.push_str(&format!("wrote {path}\n"));
    }
    for left_out in &draft.left_out {
        text.push_str(&format!("left out: {left_out}\n"));
    }
    if !written.variables.is_empty() {
        text.push_str("it needs these variables; set them, then check and run it:\n");
    }
    for (name, how) in &written.variables {
        text.push_str(&format!("    export {name}={how}\n"));
    }
    text.push_str(&format!(
        "    doubletap check{named}\n    doubletap run{named}"
    ));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from_curl(line: &str) -> Written {
        let written = draft(Some(line), &Flags::default()).unwrap().write();
        if let Err(errors) = load_source_of(&written) {
            let shown: Vec<String> = errors.iter().map(|error| error.render(false)).collect();
            panic!("{}\n{}", written.text, shown.join("\n"));
        }
        written
    }

    #[test]
    fn a_curl_line_becomes_a_target_without_its_secrets() {
        let written = from_curl(
            "curl 'https://me:s3cret-pw@api.example.com/v1/payments?api_key=abcd1234' -H 'Authorization: Bearer eyJsecret' -H 'Cookie: sid=abcdef' \
             -H 'X-Api-Key: kkkkkk' -H 'Idempotency-Key: 123' -H 'X-Env: test' -H 'Content-Type: application/json' \
             -d '{\"amount\": 100, \"note\": null, \"password\": \"hunter22\"}'",
        );
        for secret in [
            "s3cret-pw",
            "abcd1234",
            "eyJsecret",
            "abcdef",
            "kkkkkk",
            "hunter22",
        ] {
            assert!(
                !written.text.contains(secret),
                "{secret} in\n{}",
                written.text
            );
        }
        for part in [
            "Bearer ${TOKEN_A}",
            "${COOKIE_A}",
            "${API_KEY_A}",
            "url    = \"https://api.example.com\"",
            "POST /v1/payments?api_key=${API_KEY}",
            "X-Env",
        ] {
            assert!(
                written.text.contains(part),
                "{part} not in\n{}",
                written.text
            );
        }
        assert!(
            !written.text.contains("123"),
            "a key is never copied:\n{}",
            written.text
        );
        assert!(written.variables.iter().any(|(name, _)| name == "TOKEN_A"));
    }

    #[test]
    fn forms_other_bodies_and_empty_ones_are_written_as_they_are() {
        let form = from_curl(
            "curl http://127.0.0.1:1/v1/charges -u sk_test_abc: -d amount=2000 -d 'currency=usd'",
        );
        assert!(
            form.text
                .contains("form     = \"amount=2000&currency=usd\""),
            "{}",
            form.text
        );
        assert!(
            form.text.contains("Basic ${BASIC_A}") && !form.text.contains("sk_test_abc"),
            "{}",
            form.text
        );
        let xml = from_curl(
            "curl http://127.0.0.1:1/p -H 'Content-Type: application/xml' -d '<a b=\"c\">it'\"'\"'s</a>'",
        );
        assert!(
            xml.text.contains("content-type = \"application/xml\""),
            "{}",
            xml.text
        );
        from_curl("curl -X POST http://127.0.0.1:1/p/7/capture");
    }

    #[test]
    fn every_variable_of_the_file_is_listed_also_those_that_were_typed_as_such() {
        let flags = Flags {
            account: vec!["b=Authorization: Bearer ${SHOP_TOKEN}".into()],
            postgres: Some("postgres://shop:${PGPASSWORD}@localhost/shop".into()),
            header: vec!["X-Tenant: ${TENANT}".into()],
            ..Flags::default()
        };
        let line = "curl http://127.0.0.1:1/payments -H 'Authorization: Bearer one' --json '{\"amount\":1}'";
        let mut written = draft(Some(line), &flags).unwrap().write();
        let used = load_source_of(&written).unwrap();
        written.needs(&used);
        let names: Vec<&str> = written
            .variables
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        for name in ["TOKEN_A", "SHOP_TOKEN", "PGPASSWORD", "TENANT"] {
            assert!(
                names.contains(&name),
                "{name} not in {names:?}\n{}",
                written.text
            );
        }
        assert_eq!(
            names.len(),
            4,
            "nothing that only stands in a comment: {names:?}"
        );
        assert!(written.text.contains("# It needs: "), "{}", written.text);
        load_source_of(&written).unwrap();
    }

    #[test]
    fn flags_say_what_a_curl_line_does_not() {
        let flags = Flags {
            policy: Some("ietf".into()),
            reference: Some("/reference".into()),
            identity: Some("/id".into()),
            postgres: Some("postgres://me:pass-word@localhost/shop".into()),
            count_sql: Some("SELECT count(*) FROM payments WHERE reference = :ref".into()),
            account: vec!["b=Authorization: Bearer other".into()],
            changed: vec!["/amount=7".into()],
            set: vec!["after-retention=run".into()],
            ..Flags::default()
        };
        let line = "curl http://127.0.0.1:1/payments -H 'Authorization: Bearer one' --json '{\"amount\":1,\"reference\":\"\"}'";
        let written = draft(Some(line), &flags).unwrap().write();
        load_source_of(&written).unwrap();
        for part in [
            "policy = \"ietf\"",
            "[account.b]",
            "${TOKEN_B}",
            "\"${DATABASE_URL}\"",
            ":ref",
            "\"/amount\" = 7",
            "contract.after-retention = \"run\"",
        ] {
            assert!(
                written.text.contains(part),
                "{part} not in\n{}",
                written.text
            );
        }
        for secret in ["pass-word", "Bearer other", "Bearer one"] {
            assert!(
                !written.text.contains(secret),
                "{secret} in\n{}",
                written.text
            );
        }
    }
}
