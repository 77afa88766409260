//! What to look for first, by what was found: a drill's own hint fits the violation that the drill is for, not every one it meets.
//! It must not give a verdict.

use super::{CheckResult, Finding, Verdict};
use crate::config::suite::Drill;

/// The drill that sends nothing but a plain repeat.
const PLAIN: &str = "drill.replay";

/// What to look for first. `id`: the drill's with its case.
#[must_use]
pub fn of(id: &str, drill: &Drill, decisive: Option<&CheckResult>) -> String {
    let met = id.contains("/while-working");
    let found = decisive.and_then(|check| by_finding(drill, check, met));
    found.map_or_else(|| drill.hint.clone(), str::to_owned)
}

/// What fails because a plain repeat does already: that is to be mended first.
pub fn point_to_the_plain(findings: &mut [Finding]) {
    let clause = |finding: &Finding| {
        let failed = finding.checks.iter().find(|c| c.verdict == Verdict::Fail)?;
        failed.violated.first().cloned()
    };
    let plain: Vec<(String, String, String)> = findings
        .iter()
        .filter(|f| f.id.split('@').next() == Some(PLAIN))
        .filter_map(|f| Some((f.operation.clone(), clause(f)?, f.id.clone())))
        .collect();
    for finding in findings {
        let failed = clause(finding);
        let same = plain.iter().find(|(operation, clause, id)| {
            *operation == finding.operation && Some(clause) == failed.as_ref() && *id != finding.id
        });
        if let Some((_, _, id)) = same {
            finding.hint =
                format!("{id} fails in the same way with a plain repeat: mend that first.");
        }
    }
}

/// The hint for a violation that is not the one that the drill is for.
fn by_finding(drill: &Drill, check: &CheckResult, met: bool) -> Option<&'static str> {
    let clause = check.violated.first()?.as_str();
    let part = check.part.as_deref();
    let (situation, _) = check.id.split_once(':')?;
    let first = drill.check.first()?.situation();
    let own = situation == first;
    match (clause, part) {
        // the ways in which work is done twice are what drills are for; a repeat's is the same everywhere
        ("one-effect", _) if own && met => Some(MET),
        ("one-effect", _) => (!own && situation == "replay").then_some(RAN_AGAIN),
        ("no-server-error", _) => match first {
            "after-retention" | "stored" | "other-account" | "other-scope" => None,
            "key-syntax" => Some(BROKEN_KEY),
            _ => Some(SERVER_ERROR),
        },
        ("marker", _) => Some(MARKER),
        ("replay", Some("set-cookie")) => Some(COOKIE),
        ("replay", Some(_)) => Some(OTHER_REPLY),
        ("replay", None) => (!own || first != "replay" && first != "recovered").then_some(REFUSED),
        ("in-progress", Some("header" | "headers")) => Some(RETRY_AFTER),
        ("in-progress", _) => Some(BUSY),
        ("in-progress-for", _) => Some(NEVER_COMPLETED),
        ("mismatch", Some("reveals")) => Some(REVEALS),
        ("mismatch", Some(_)) => Some(OTHER_REFUSAL),
        ("mismatch", None) => (situation != "mismatch" && first != "mismatch")
            .then_some(MISMATCH)
            // other drills of another request say what exactly has to be part of the fingerprint
            .filter(|_| matches!(first, "concurrent" | "in-progress" | "recovered")),
        ("isolation", _) => (first != "other-account").then_some(ISOLATION),
        _ => None,
    }
}

const MET: &str = "Claim the key before the work, and keep the claim when the client goes away: the retry came while the first \
                   request was still being worked on.";
const RAN_AGAIN: &str = "Look the key up before any work, and answer a finished one from what was stored; look for a claim that is \
                         released, overwritten or never recorded.";
const SERVER_ERROR: &str = "Find the request's error in the service's log: often the unique violation of whoever came second, thrown \
                            instead of answered. Catch it, and answer like any duplicate.";
const BROKEN_KEY: &str = "Find the error in the service's log, and refuse such a key with a 4xx before it reaches the database.";
const MARKER: &str = "Set the marker where a stored reply is sent, and nowhere else.";
const COOKIE: &str =
    "Leave Set-Cookie (and what else belongs to one moment) out of what is stored with the key.";
const OTHER_REPLY: &str = "Store status, headers and body of the first reply with the key and send exactly those; do not build the \
                           repeat's reply anew.";
const REFUSED: &str = "Answer the repeat of a finished request from what was stored: look for a key that is still marked as in \
                       progress, or whose record was spoilt in between.";
const RETRY_AFTER: &str = "Send the declared headers with the refusal; Retry-After in whole seconds, about as long as the work takes.";
const BUSY: &str = "Answer a duplicate that finds the key claimed and not completed in one place, as the policy declares; the key \
                    protected, only the answer is another one.";
const NEVER_COMPLETED: &str = "Record the completion in the transaction of the work, also where the work fails, and let a claim end \
                               when its owner is gone.";
const REVEALS: &str = "Refuse another request without naming what the first one made: no identity, no link, no copy of its reply.";
const OTHER_REFUSAL: &str = "The request was refused and did nothing; mend the refusal's status or code, or declare the one that the \
                             API gives.";
const MISMATCH: &str = "Store a fingerprint of the request with the claim, and compare it also while the first is still running.";
const ISOLATION: &str = "Make the account part of the key's unique index and of every look-up, and check credentials before either.";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Level;

    fn drill(id: &str) -> Drill {
        let (_, text) = *crate::bundled::drills()
            .iter()
            .find(|(name, _)| *name == format!("suites/{id}.toml"))
            .unwrap();
        toml::from_str(text).unwrap()
    }

    fn check(id: &str, clause: &str, part: Option<&str>) -> CheckResult {
        CheckResult {
            id: id.to_owned(),
            clause: None,
            level: Level::Must,
            verdict: Verdict::Fail,
            expected: String::new(),
            observed: String::new(),
            meaning: None,
            attempts: Vec::new(),
            violated: vec![clause.to_owned()],
            part: part.map(str::to_owned),
            known: None,
        }
    }

    fn hint(file: &str, id: &str, clause: &str, part: Option<&str>) -> String {
        let drill = drill(file);
        of(&drill.id, &drill, Some(&check(id, clause, part)))
    }

    #[test]
    fn what_the_drill_is_for_keeps_its_own_hint() {
        for (file, id, clause) in [
            ("drill/concurrent", "concurrent:copies", "one-effect"),
            ("drill/replay", "replay:repeat", "one-effect"),
            ("drill/replay", "replay:repeat", "replay"),
            ("drill/in-progress", "in-progress:duplicate", "one-effect"),
            ("drill/mismatch", "mismatch:changed", "mismatch"),
            ("drill/other-account", "other-account:second", "isolation"),
            (
                "drill/after-retention",
                "after-retention:reuse",
                "no-server-error",
            ),
            (
                "storage/validation",
                "stored:corrected",
                "stored.validation",
            ),
        ] {
            assert_eq!(hint(file, id, clause, None), drill(file).hint, "{file}");
        }
    }

    #[test]
    fn another_finding_of_the_same_drill_has_another_hint() {
        let concurrent = |clause, part| hint("drill/concurrent", "concurrent:copies", clause, part);
        assert!(
            concurrent("replay", Some("body")).contains("do not build the repeat's reply anew")
        );
        assert!(concurrent("marker", None).starts_with("Set the marker"));
        assert!(concurrent("no-server-error", None).contains("unique violation"));
        assert!(concurrent("in-progress", Some("header")).contains("Retry-After"));
        assert!(concurrent("in-progress-for", None).contains("completion"));
        let after = hint("drill/in-progress", "replay:after", "one-effect", None);
        assert!(after.starts_with("Look the key up"), "{after}");
        let reveals = hint(
            "drill/mismatch",
            "mismatch:changed",
            "mismatch",
            Some("reveals"),
        );
        assert!(reveals.contains("without naming"), "{reveals}");
        let other = hint(
            "drill/in-progress",
            "in-progress:different",
            "mismatch",
            None,
        );
        assert!(other.contains("fingerprint"), "{other}");
    }

    #[test]
    fn each_finding_is_told_where_to_look() {
        for (file, id, clause, part, words) in [
            (
                "drill/replay",
                "replay:repeat",
                "replay",
                Some("set-cookie"),
                "Leave Set-Cookie",
            ),
            (
                "drill/replay",
                "replay:repeat",
                "replay",
                Some("status"),
                "do not build",
            ),
            (
                "drill/in-progress",
                "replay:after",
                "replay",
                None,
                "still marked as in",
            ),
            (
                "drill/concurrent",
                "concurrent:copies",
                "replay",
                None,
                "still marked as in",
            ),
            (
                "recovery/reply-lost",
                "replay:again",
                "replay",
                None,
                "still marked as in",
            ),
            (
                "drill/in-progress",
                "in-progress:duplicate",
                "in-progress",
                None,
                "claimed and not completed",
            ),
            (
                "drill/in-progress",
                "in-progress:duplicate",
                "in-progress",
                Some("status"),
                "claimed and not completed",
            ),
            (
                "drill/in-progress",
                "in-progress:duplicate",
                "in-progress",
                Some("headers"),
                "Retry-After",
            ),
            (
                "drill/mismatch",
                "mismatch:changed",
                "mismatch",
                Some("status"),
                "declare the one",
            ),
            (
                "drill/concurrent",
                "concurrent:copies",
                "mismatch",
                None,
                "Store a fingerprint",
            ),
            (
                "recovery/reply-lost",
                "replay:again",
                "mismatch",
                None,
                "Store a fingerprint",
            ),
            (
                "drill/concurrent",
                "nothing-leaks:copies",
                "isolation",
                None,
                "Make the account part",
            ),
            (
                "syntax/key-shapes",
                "key-syntax:again",
                "no-server-error",
                None,
                "refuse such a key with a 4xx",
            ),
        ] {
            let found = hint(file, id, clause, part);
            assert!(found.contains(words), "{file} {clause} {part:?}: {found}");
        }
        for (file, id, clause) in [
            ("recovery/reply-lost", "recovered:retry", "replay"),
            ("storage/validation", "stored:again", "no-server-error"),
            (
                "drill/other-account",
                "other-account:second",
                "no-server-error",
            ),
            ("scope/other-route", "other-scope:second", "no-server-error"),
            ("scope/other-route", "other-scope:second", "mismatch"),
            ("drill/mismatch", "replay:again", "mismatch"),
            ("drill/in-progress", "mismatch:different", "mismatch"),
        ] {
            assert_eq!(
                hint(file, id, clause, None),
                drill(file).hint,
                "{file} {clause}"
            );
        }
    }

    #[test]
    fn a_retry_that_meets_the_first_is_told_to_claim_before_the_work() {
        let drill = drill("recovery/reply-lost");
        let of = |case: &str, id: &str| {
            let check = check(id, "one-effect", None);
            super::of(&format!("{}/{case}", drill.id), &drill, Some(&check))
        };
        let met = of("while-working", "recovered:retry");
        assert!(met.contains("Claim the key before the work"), "{met}");
        assert_eq!(of("after-last-byte", "recovered:retry"), drill.hint);
        let again = of("while-working", "replay:again");
        assert!(again.starts_with("Look the key up"), "{again}");
        // what is no repeat keeps to what the drill is for
        assert_eq!(of("while-working", "other-scope:again"), drill.hint);
    }

    #[test]
    fn what_a_plain_repeat_shows_is_to_be_mended_first() {
        let finding = |name: &str, clause: &str| {
            let drill = drill(name);
            Finding {
                id: format!("{}@pay", drill.id),
                suite: String::new(),
                operation: "pay".to_owned(),
                title: String::new(),
                why: String::new(),
                hint: drill.hint.clone(),
                sources: Vec::new(),
                verdict: Verdict::Fail,
                reason: String::new(),
                checks: vec![check("a:b", clause, None)],
                proof: Vec::new(),
            }
        };
        let mut all = [
            finding("drill/replay", "one-effect"),
            finding("drill/concurrent", "one-effect"),
            finding("drill/mismatch", "mismatch"),
            finding("drill/concurrent", "one-effect"),
            finding("drill/concurrent", "one-effect"),
        ];
        all[3].operation = "refund".to_owned();
        // only warned of, and then broken in another way
        all[4].checks[0].verdict = Verdict::Warn;
        all[4].checks.push(check("a:c", "marker", None));
        point_to_the_plain(&mut all);
        let own = drill("drill/concurrent").hint;
        assert_eq!((&all[3].hint, &all[4].hint), (&own, &own));
        assert_eq!(all[0].hint, drill("drill/replay").hint);
        assert_eq!(
            all[1].hint,
            "drill.replay@pay fails in the same way with a plain repeat: mend that first."
        );
        assert_eq!(all[2].hint, drill("drill/mismatch").hint);
    }
}
