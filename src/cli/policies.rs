//! `doubletap policies`: which policies there are, what one declares, and where two differ.
//! It must not know what any clause means.

use clap::{Args, Subcommand};

use super::faults::{list, say, show as show_list, text_of, whole};
use super::look::Look;
use super::target::{find_policy, policy_names, show};
use crate::config::target::PolicyFacts;
use crate::config::{Sketch, contracts_under};
use crate::contract::{Answer, Contract, Retention};
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
        &["policy", "mismatch", "in progress", "kept", "what it is"],
    );
    for name in policy_names() {
        let (facts, contract) = read(&name, look)?;
        table.add_row([
            facts.id,
            brief(&contract.mismatch.value),
            brief(&contract.in_progress.value),
            kept(&contract.retention.value),
            facts.title,
        ]);
    }
    whole(&mut table, &[0, 1, 2, 3]);
    Ok(say(&format!(
        "{}\n`doubletap policies show NAME` tells every clause with its place and source; open: nobody says\n",
        text_of(&table)
    )))
}

/// An answer in a word: its statuses, where it is a refusal.
fn brief(answer: &Answer) -> String {
    match answer {
        Answer::Unspecified => "open".to_owned(),
        Answer::Run => "run".to_owned(),
        Answer::Accept => "accept".to_owned(),
        Answer::Replay => "replay".to_owned(),
        Answer::Wait => "wait".to_owned(),
        Answer::Refuse(how) if how.status.is_empty() => "4xx".to_owned(),
        Answer::Refuse(how) => {
            let statuses: Vec<String> = how.status.iter().map(ToString::to_string).collect();
            statuses.join(", ")
        }
        Answer::AnyOf(answers) => {
            let answers: Vec<String> = answers.iter().map(brief).collect();
            answers.join(" or ")
        }
    }
}

/// How long keys are kept.
fn kept(retention: &Retention) -> String {
    match (retention.at_least, retention.at_most) {
        (Some(least), Some(most)) if least == most => least.to_string(),
        (Some(least), Some(most)) => format!("{least} to {most}"),
        (Some(least), None) => format!("{least} or more"),
        (None, Some(most)) => format!("up to {most}"),
        (None, None) => "open".to_owned(),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_told_in_a_word() {
        let look = Look::default();
        let (_, ietf) = read("ietf", &look).unwrap();
        assert_eq!(brief(&ietf.mismatch.value), "422");
        assert_eq!(brief(&ietf.in_progress.value), "wait or 409");
        assert_eq!(kept(&ietf.retention.value), "open");
    }
}
