//! `doubletap policies`: which policies there are, what one declares, and where two differ.
//! It must not know what any clause means.

use clap::{Args, Subcommand};

use super::faults::{list, say, show as show_list};
use super::look::Look;
use super::target::{find_policy, policy_names, show};
use crate::config::target::PolicyFacts;
use crate::config::{Sketch, contracts_under};
use crate::contract::Contract;
use crate::report::declared::clauses;
use crate::report::document::ClauseRecord;
use crate::report::text;

/// List the bundled policies, show one, or compare two
#[derive(Args, Debug)]
pub struct PoliciesArgs {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Subcommand, Debug)]
enum What {
    /// Every clause that a policy declares, with file and line
    Show {
        /// A bundled policy's name, or a file
        name: String,
    },
    /// The clauses in which two policies differ
    Diff {
        /// A bundled policy's name, or a file
        one: String,
        /// Another
        other: String,
    },
}

/// Does it, and gives the exit code.
#[must_use]
pub fn run(args: &PoliciesArgs, look: &Look) -> u8 {
    let done = match &args.what {
        None => all(look),
        Some(What::Show { name }) => one(name, look),
        Some(What::Diff { one, other }) => two(one, other, look),
    };
    done.unwrap_or_else(|code| code)
}

/// What a policy declares of an ordinary operation.
fn read(name: &str, look: &Look) -> Result<(PolicyFacts, Contract), u8> {
    let sketch = Sketch {
        name: "operation".to_owned(),
        method: "POST".to_owned(),
        path: "/".to_owned(),
        body: None,
    };
    let (facts, mut contracts) =
        contracts_under(name, &find_policy, &policy_names(), "", &[sketch])
            .map_err(|errors| show(&errors, look))?;
    // one operation went in
    contracts
        .remove("operation")
        .map(|contract| (facts, contract))
        .ok_or(crate::exit::USAGE)
}

fn all(look: &Look) -> Result<u8, u8> {
    let mut table = list(
        look,
        &[
            "policy",
            "title",
            "key",
            "mismatch",
            "in progress",
            "retention",
            "seen",
        ],
    );
    for name in policy_names() {
        let (facts, contract) = read(&name, look)?;
        let declared = clauses(&contract);
        let said = |clause: &str| {
            declared
                .iter()
                .find(|record| record.name == clause)
                .map_or_else(|| "open".to_owned(), |record| text::line(&record.declared))
        };
        table.add_row([
            facts.id,
            facts.title,
            carrier(&contract),
            contract.mismatch.value.to_string(),
            contract.in_progress.value.to_string(),
            said("retention"),
            facts.seen.unwrap_or_default(),
        ]);
    }
    Ok(show_list(&table))
}

fn carrier(contract: &Contract) -> String {
    use crate::contract::{Carrier, WireForm};
    let key = &contract.key.value;
    let place = match &key.carrier {
        Carrier::Header(name) => name.clone(),
        Carrier::Json(pointer) => format!("{pointer} in the JSON body"),
        Carrier::Form(field) => format!("form field {field}"),
        Carrier::Query(name) => format!("query {name}"),
        Carrier::Path(_) => "path".to_owned(),
    };
    match key.form {
        WireForm::Bare => place,
        WireForm::SfString => format!("{place}, quoted"),
    }
}

fn one(name: &str, look: &Look) -> Result<u8, u8> {
    let (facts, contract) = read(name, look)?;
    let mut table = list(look, &["clause", "declared", "where"]);
    for clause in clauses(&contract) {
        table.add_row([
            clause.name.clone(),
            text::line(&clause.declared),
            place(&clause),
        ]);
    }
    let mut out = format!("{}: {}", facts.id, facts.title);
    if let Some(seen) = &facts.seen {
        out.push_str(&format!(" (seen {seen})"));
    }
    out.push_str("\n\n");
    for line in table.lines() {
        out.push_str(line.trim_end());
        out.push('\n');
    }
    for source in &facts.sources {
        out.push_str(&format!("\nsource: {}", text::line(source)));
    }
    out.push('\n');
    Ok(say(&out))
}

fn two(one: &str, other: &str, look: &Look) -> Result<u8, u8> {
    let (first, second) = (read(one, look)?, read(other, look)?);
    let (left, right) = (clauses(&first.1), clauses(&second.1));
    let mut table = list(look, &["clause", &first.0.id, &second.0.id]);
    let mut names: Vec<&str> = left.iter().map(|clause| clause.name.as_str()).collect();
    for clause in &right {
        if !names.contains(&clause.name.as_str()) {
            names.push(&clause.name);
        }
    }
    let said = |clauses: &[ClauseRecord], name: &str| {
        clauses
            .iter()
            .find(|clause| clause.name == name)
            .map_or_else(|| "open".to_owned(), |clause| text::line(&clause.declared))
    };
    for name in names {
        let (one, other) = (said(&left, name), said(&right, name));
        if one != other {
            table.add_row([name.to_owned(), one, other]);
        }
    }
    if table.is_empty() {
        return Ok(say(&format!(
            "{} and {} declare the same\n",
            first.0.id, second.0.id
        )));
    }
    Ok(show_list(&table))
}

fn place(clause: &ClauseRecord) -> String {
    match (&clause.file, clause.line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        (Some(file), None) => file.clone(),
        (None, _) => String::new(),
    }
}
