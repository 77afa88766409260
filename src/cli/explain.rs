//! `doubletap explain`: what a drill, a case, a situation, a clause, a verdict, an exit code or a fault means.
//! It must not know more than the data says: drills, policies and the list of exit codes are read.

use clap::Args;

use super::deliver::refuse;
use super::drills::bundled_drills;
use super::faults::say;
use super::look::Look;
use super::words;
use crate::config::suite::Drill;
use crate::exit;
use crate::plan::select;
use crate::report::text;
use crate::sandbox::faults;
use crate::selftest::Model;

/// Say what a drill, case, situation, clause, verdict, exit code or fault means
#[derive(Args, Debug)]
pub struct ExplainArgs {
    /// Such as drill.replay, drill.other-account/b-first, mismatch, scope.account, inconclusive, 3, global-scope
    id: String,
}

/// Explains it, and gives the exit code.
#[must_use]
pub fn run(args: &ExplainArgs, look: &Look) -> u8 {
    let drills = match bundled_drills() {
        Ok(drills) => drills,
        Err(why) => return refuse(exit::USAGE, why),
    };
    let width = usize::from(look.stdout().columns());
    let found: Vec<String> = [
        drill(&args.id, &drills),
        situation(&args.id, &drills),
        clause(&args.id),
        verdict(&args.id),
        code(&args.id),
        fault(&args.id),
    ]
    .into_iter()
    .flatten()
    .map(|text| wrap(&text, width))
    .collect();
    if found.is_empty() {
        return refuse(exit::USAGE, unknown(&args.id, &drills));
    }
    say(&found.join("\n"))
}

fn unknown(id: &str, drills: &[Drill]) -> String {
    let clauses = words::clauses();
    let known = drills
        .iter()
        .map(|drill| drill.id.as_str())
        .chain(clauses.iter().map(String::as_str))
        .chain(words::SITUATIONS.iter().map(|(name, _, _)| *name))
        .chain(words::VERDICTS.iter().map(|(word, _)| *word))
        .chain(faults::all().iter().map(|fault| fault.name));
    let near = select::nearest(id, known);
    let id = text::line(id);
    if near.is_empty() {
        format!("nothing is called `{id}`; `doubletap drills` and `doubletap faults` list names")
    } else {
        format!("nothing is called `{id}`; perhaps {}", near.join(", "))
    }
}

fn drill(id: &str, drills: &[Drill]) -> Option<String> {
    // a report's id may be given whole: drill/case@operation
    let id = id.split('@').next().unwrap_or(id);
    let (name, case) = id
        .split_once('/')
        .map_or((id, None), |(name, case)| (name, Some(case)));
    let drill = drills.iter().find(|drill| drill.id == name)?;
    if case.is_some_and(|case| !drill.case.iter().any(|known| known.id == case)) {
        return None;
    }
    let mut text = format!(
        "{}: {}\n\n  why       {}\n",
        drill.id, drill.title, drill.why
    );
    text.push_str("  steps     ");
    let steps: Vec<String> = drill.step.iter().map(words::step).collect();
    text.push_str(&steps.join("\n            "));
    text.push('\n');
    if drill.rounds {
        text.push_str("            all of it again with fresh keys (--rounds says how often)\n");
    }
    let mut cases = drill
        .case
        .iter()
        .filter(|known| case.is_none_or(|case| known.id == case));
    let listed: Vec<String> = cases.by_ref().map(told_case).collect();
    if !listed.is_empty() {
        text.push_str(&format!("  cases     {}\n", listed.join("\n            ")));
    }
    for (at, check) in drill.check.iter().enumerate() {
        let label = if at == 0 { "checks" } else { "" };
        let told = words::SITUATIONS
            .iter()
            .find(|(name, _, _)| *name == check.situation());
        let (said, clauses) = told.map_or(("", &[][..]), |(_, said, clauses)| (*said, *clauses));
        let by = if clauses.is_empty() {
            String::new()
        } else {
            format!(" (by {})", clauses.join(", "))
        };
        text.push_str(&format!("  {label:<9} {}: {said}{by}\n", check.situation()));
    }
    let needs = words::needs(drill);
    if !needs.is_empty() {
        text.push_str(&format!("  needs     {}\n", needs.join(", ")));
    }
    text.push_str(&format!("  look for  {}\n", drill.hint));
    let found = Model::bundled().map(|model| {
        let found: Vec<String> = model
            .found_by(name)
            .into_iter()
            .map(str::to_owned)
            .collect();
        found.join(", ")
    });
    if let Ok(found) = found
        && !found.is_empty()
    {
        text.push_str(&format!("  finds     {found}\n"));
    }
    if !drill.sources.is_empty() {
        text.push_str(&format!(
            "  source    {}\n",
            drill.sources.join("\n            ")
        ));
    }
    Some(text)
}

fn told_case(case: &crate::config::suite::Case) -> String {
    let spelled = |value: &serde_json::Value| value.to_string().replace('"', "");
    let mut parts = Vec::new();
    for (name, shape) in &case.keys {
        if let Ok(shape) = serde_json::to_value(shape) {
            parts.push(format!("key {name} = {}", spelled(&shape)));
        }
    }
    for (step, fields) in &case.with {
        if let Ok(serde_json::Value::Object(fields)) = serde_json::to_value(fields) {
            parts.extend(
                fields
                    .iter()
                    .map(|(field, value)| format!("{step}.{field} = {}", spelled(value))),
            );
        }
    }
    if parts.is_empty() {
        case.id.clone()
    } else {
        format!("{}: {}", case.id, parts.join(", "))
    }
}

fn situation(id: &str, drills: &[Drill]) -> Option<String> {
    let (name, said, clauses) = words::SITUATIONS.iter().find(|(name, _, _)| *name == id)?;
    let used: Vec<&str> = drills
        .iter()
        .filter(|drill| drill.check.iter().any(|check| check.situation() == *name))
        .map(|drill| drill.id.as_str())
        .collect();
    let mut text = format!("the situation {name}: {said}\n\n");
    if !clauses.is_empty() {
        text.push_str(&format!("  decided by  {}\n", clauses.join(", ")));
    }
    text.push_str(&format!("  drills      {}\n", used.join(", ")));
    Some(text)
}

fn clause(id: &str) -> Option<String> {
    let said = words::clause(id)?;
    let read: Vec<&str> = words::SITUATIONS
        .iter()
        .filter(|(_, _, clauses)| {
            clauses
                .iter()
                .any(|clause| *clause == id || clause.starts_with(&format!("{id}.")))
        })
        .map(|(name, _, _)| *name)
        .collect();
    let mut text = format!("the clause {id}: {said}\n\n");
    if !read.is_empty() {
        text.push_str(&format!("  decides in  {}\n", read.join(", ")));
    }
    text.push_str(&format!(
        "  declare it  in a policy under [contract], for one target by `contract.{id} = ...`, or by --set {id}=...\n"
    ));
    Some(text)
}

fn verdict(id: &str) -> Option<String> {
    let (word, said) = words::VERDICTS
        .iter()
        .find(|(word, _)| word.eq_ignore_ascii_case(id))?;
    Some(format!("the verdict {word}: {said}\n"))
}

fn code(id: &str) -> Option<String> {
    let wanted: u8 = id.parse().ok()?;
    let (code, name, meaning) = exit::CODES.iter().find(|(code, _, _)| *code == wanted)?;
    Some(format!("exit code {code} ({name}): {meaning}\n"))
}

fn fault(id: &str) -> Option<String> {
    let fault = faults::all().iter().find(|fault| fault.name == id)?;
    let designs: Vec<&str> = fault.designs.iter().map(|design| design.name()).collect();
    let seen = Model::bundled().map(|model| {
        let seen: Vec<String> = model.seen_by(id).into_iter().map(str::to_owned).collect();
        seen.join(", ")
    });
    let mut text = format!(
        "the sandbox's fault {}: {}\n\n  designs  {}\n",
        fault.name,
        fault.summary,
        designs.join(", ")
    );
    if let Ok(seen) = seen {
        text.push_str(&format!("  seen by  {seen}\n"));
    }
    text.push_str(&format!(
        "  see it   doubletap demo --fault {0} --suite all\n",
        fault.name
    ));
    Some(text)
}

/// Wraps each line at blanks; what follows keeps the indentation of the text, not of the label.
fn wrap(text: &str, width: usize) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let body = line.trim_start();
        let lead = line.len() - body.len();
        // a label such as "  steps     ": its text begins after two blanks or more
        let hang = match body.find("  ") {
            Some(at) if lead == 2 => lead + at + body[at..].len() - body[at..].trim_start().len(),
            _ => lead,
        };
        let mut column = 0;
        for (at, word) in line.split(' ').enumerate() {
            let length = word.chars().count();
            if at > 0 && column + 1 + length > width && column > hang {
                out.push('\n');
                out.push_str(&" ".repeat(hang));
                column = hang;
            } else if at > 0 {
                out.push(' ');
                column += 1;
            }
            out.push_str(word);
            column += length;
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drills() -> Vec<Drill> {
        bundled_drills().unwrap()
    }

    #[test]
    fn a_drill_is_told_with_steps_checks_hint_and_source() {
        let text = drill("drill.concurrent@payment", &drills()).unwrap();
        for part in [
            "double tap",
            "release copies",
            "one-effect",
            "look for  Claim",
            "section 2.6",
        ] {
            assert!(text.contains(part), "{part} is missing in\n{text}");
        }
    }

    #[test]
    fn a_case_is_told_alone_and_an_unknown_case_is_not_told() {
        let text = drill("drill.other-account/b-first", &drills()).unwrap();
        assert!(
            text.contains("b-first") && !text.contains("a-first"),
            "{text}"
        );
        assert_eq!(drill("drill.other-account/c-first", &drills()), None);
    }

    #[test]
    fn what_is_not_known_gets_near_names() {
        let said = unknown("drill.mismach", &drills());
        assert!(said.contains("drill.mismatch"), "{said}");
    }

    #[test]
    fn a_word_may_mean_a_situation_and_a_clause() {
        assert!(situation("mismatch", &drills()).is_some());
        assert!(clause("mismatch").is_some());
        assert!(code("3").unwrap().contains("inconclusive"));
        assert!(code("7").is_none());
        assert!(verdict("FAIL").is_some());
    }

    #[test]
    fn wrapped_lines_hang_under_their_text() {
        let text = wrap("  why       one two three four\n", 22);
        assert_eq!(text, "  why       one two\n            three four\n");
    }
}
