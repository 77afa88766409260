//! `doubletap drills`: which drills there are, and what each needs from a target.
//! It must not know how a drill is carried out.

use clap::Args;

use super::deliver::refuse;
use super::faults::{list, say, text_of, whole};
use super::look::Look;
use super::words;
use crate::bundled;
use crate::config::suite::Drill;
use crate::exit;
use crate::plan::select;

/// List the bundled drills
#[derive(Args, Debug)]
pub struct DrillsArgs {
    /// Only this suite (repeatable)
    #[arg(long, value_name = "NAME")]
    suite: Vec<String>,
}

/// Lists them, and gives the exit code.
#[must_use]
pub fn run(args: &DrillsArgs, look: &Look) -> u8 {
    let known = bundled::suites();
    for suite in &args.suite {
        if !known.contains(&suite.as_str()) {
            let near = select::nearest(suite, known.iter().copied());
            let near = if near.is_empty() { known.clone() } else { near };
            return refuse(
                exit::USAGE,
                format!("no suite is called `{suite}`; there is {}", near.join(", ")),
            );
        }
    }
    let drills = match bundled_drills() {
        Ok(drills) => drills,
        Err(why) => return refuse(exit::USAGE, why),
    };
    let mut table = list(look, &["drill", "what must hold", "cases", "needs"]);
    for drill in drills {
        if !args.suite.is_empty() && !args.suite.iter().any(|suite| suite == drill.suite()) {
            continue;
        }
        let needs = words::needs(&drill).join(", ");
        let cases = drill.case.len().max(1);
        table.add_row([
            drill.id.clone(),
            drill.title.clone(),
            cases.to_string(),
            needs,
        ]);
    }
    whole(&mut table, &[0]);
    say(&format!(
        "{}\n`doubletap explain DRILL` tells its steps, its cases and the clauses that decide\n",
        text_of(&table)
    ))
}

/// The bundled drills, in the order in which they run.
pub(super) fn bundled_drills() -> Result<Vec<Drill>, String> {
    bundled::drills()
        .into_iter()
        .map(|(name, text)| toml::from_str(text).map_err(|error| format!("{name}: {error}")))
        .collect()
}
