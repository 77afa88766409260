//! `doubletap explain`: what a drill, a case, a situation, a clause, a verdict, an exit code or a fault means.
//! It must not know more than the data says: drills, policies and the list of exit codes are read.

use clap::Args;

use super::deliver::refuse;
use super::drills::bundled_drills;
use super::faults::say;
use super::look::Look;
use super::told_drill::drill;
use super::{terms, words};
use crate::config::suite::Drill;
use crate::exit;
use crate::plan::select;
use crate::report::text;
use crate::sandbox::faults;
use crate::selftest::Model;

/// Say what a drill, clause, verdict, word or exit code means
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  doubletap explain drill.other-account/b-first    a drill, or one of its cases
  doubletap explain mismatch.reveals               a clause, or a part of one
  doubletap explain luck                           a word of a report
  doubletap explain inconclusive                   a verdict
  doubletap explain 3                              an exit code
  doubletap explain global-scope                   a fault of the sandbox
")]
pub struct ExplainArgs {
    /// A drill, a situation, a clause or its part, a verdict, a word of a report, an exit code, a fault
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
        part(&args.id),
        verdict(&args.id),
        code(&args.id),
        term(&args.id),
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
        .chain(terms::VERDICTS.iter().map(|(word, _)| *word))
        .chain(terms::TERMS.iter().map(|(word, _)| *word))
        .chain(terms::PARTS.iter().map(|(word, _)| *word))
        .chain(faults::all().iter().map(|fault| fault.name));
    let near = select::nearest(id, known);
    let id = text::line(id);
    if near.is_empty() {
        format!("nothing is called `{id}`; `doubletap drills` and `doubletap faults` list names")
    } else {
        format!("nothing is called `{id}`; perhaps {}", near.join(", "))
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

/// `mismatch.reveals`, or the part alone.
fn part(id: &str) -> Option<String> {
    let (clause, part) = match id.rsplit_once('.') {
        Some((clause, part)) => (Some(clause), part),
        None => (None, id),
    };
    let said = terms::part(part)?;
    match clause {
        None => Some(format!("the part {part} of a clause: {said}\n")),
        Some(clause) if words::clauses().iter().any(|known| known == clause) => {
            let how = match part {
                "reveals" => format!(
                    "contract.{clause} = {{ refuse = {{ status = [422], reveals = false }} }}, for example"
                ),
                _ => format!("in the answer that `contract.{clause}` declares"),
            };
            Some(format!(
                "the part {part} of the clause {clause}: {said}\n\n  declare it  {how}; `should = [\"{id}\"]` makes this part warn only\n"
            ))
        }
        Some(_) => None,
    }
}

fn term(id: &str) -> Option<String> {
    let said = terms::term(id)?;
    Some(format!("the word {}: {said}\n", text::line(id)))
}

fn verdict(id: &str) -> Option<String> {
    let (word, said) = terms::VERDICTS
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

    fn is_known(word: &str) -> bool {
        let known = [
            drill(word, &drills()),
            situation(word, &drills()),
            clause(word),
            part(word),
            verdict(word),
            term(word),
        ];
        known.iter().any(Option::is_some)
    }

    #[test]
    fn every_clause_and_every_part_that_a_report_may_cite_is_explained() {
        for clause in crate::contract::merge::clause_names() {
            assert!(is_known(clause), "{clause}");
        }
        for part in crate::contract::merge::PARTS {
            assert!(is_known(part), "{part}");
            assert!(is_known(&format!("mismatch.{part}")), "mismatch.{part}");
        }
        assert!(is_known("replay.set-cookie"));
        assert_eq!(part("no-such.status"), None);
    }

    #[test]
    fn every_verdict_level_and_way_of_holding_is_explained() {
        use crate::judge::Verdict;
        for verdict in [
            Verdict::Pass,
            Verdict::Known,
            Verdict::Warn,
            Verdict::Inconclusive,
            Verdict::Fail,
            Verdict::Skip,
            Verdict::Observed,
        ] {
            let word = crate::report::summary::word(verdict);
            assert!(super::verdict(word).is_some(), "{word}");
        }
        for word in [
            "must",
            "should",
            "luck",
            "slow",
            "postgres",
            "later",
            "stall",
            "settle",
            "agrees",
            "claim-first",
            "one-transaction",
        ] {
            assert!(is_known(word), "{word}");
        }
    }

    #[test]
    fn the_words_of_skips_and_doubts_are_explained_and_still_in_use() {
        let sources: Vec<String> = ["src/judge", "src/plan", "src/run/conductor", "src/report"]
            .iter()
            .flat_map(|folder| std::fs::read_dir(folder).unwrap())
            .filter_map(|entry| std::fs::read_to_string(entry.unwrap().path()).ok())
            .collect();
        for (word, shown) in [
            ("luck", "by luck"),
            ("control", "the control of"),
            ("not reached", "not reached"),
            ("left out", "left out: "),
            ("overlap", "open at once"),
            ("in step", "in step"),
            ("unknown", "has an unknown outcome"),
            ("not sent", "was not sent"),
            ("counter", "the counter does not rise"),
            ("identity", "one identity"),
            ("effect", "counted"),
            ("unspecified", "unspecified"),
            ("premise", "a premise of every verdict"),
            ("races", "races: "),
            ("held", "was held"),
            ("rests on", "\"rests on\""),
            ("left open", "\"left open\""),
            ("look for", "\"look for\""),
            ("repeat", "\"repeat\""),
            ("sent", "\"sent\""),
            ("counted", "\"counted\""),
            ("check", "\"check\""),
            ("expected", "\"expected\""),
            ("by", "\"by\""),
            ("means", "\"means\""),
            ("source", "\"source\""),
            ("effects", "effects of each intent"),
            ("at-most", "at the most"),
        ] {
            assert!(is_known(word), "{word}");
            let used = sources.iter().any(|source| source.contains(shown));
            assert!(used, "no report says `{shown}` any more");
        }
    }

    #[test]
    fn wrapped_lines_hang_under_their_text() {
        let text = wrap("  why       one two three four\n", 22);
        assert_eq!(text, "  why       one two\n            three four\n");
    }
}
