//! The words of reports in sentences: verdicts, parts of clauses, and what else a reader meets there.
//! It must not know drills or policies: those tell of themselves.

/// The verdicts, with what they mean.
pub(super) const VERDICTS: [(&str, &str); 7] = [
    (
        "pass",
        "What the policy declares was seen, and the measurement that it rests on worked.",
    ),
    (
        "known",
        "A clause was violated, and an entry of the baseline says that this is known, why, and until which day. It does not fail; `doubletap baseline --help` says more.",
    ),
    (
        "warn",
        "A clause that the policy lists under `should` was violated. `--strict` makes it a fail; the exit code stays 0 without it.",
    ),
    (
        "inconclusive",
        "It was tried and there is no verdict: a control did not pass, copies did not overlap, a reply was lost, a count could not be taken. The report says which. Never a pass; exit code 3 where nothing failed.",
    ),
    (
        "fail",
        "A must of the policy (or of the floor under every policy) was violated. The report names the clause with file and line, and the requests that show it. Exit code 1.",
    ),
    (
        "skip",
        "It was not tried, because the target does not declare what it needs. The report says what is missing. `--require ID` makes it exit code 3.",
    ),
    (
        "observed",
        "It was sent and what came is told, but the policy leaves the clause open, so nothing is judged. Declare the clause (`contract.CLAUSE` in the target) and it will be; `doubletap show last DRILL` shows what came.",
    ),
];

/// Parts of a clause: what a `should` list may name after it, and what a report cites.
pub(super) const PARTS: [(&str, &str); 7] = [
    (
        "status",
        "the status alone: another one than the declared is a violation of this part",
    ),
    (
        "body",
        "the body: what the declared answer says of it, or how like the first reply's it must be",
    ),
    (
        "header",
        "the headers that the declared answer carries, such as Retry-After",
    ),
    (
        "headers",
        "the headers that must come back with the first reply's values",
    ),
    (
        "code",
        "the error's code in the body, where the declared answer names one",
    ),
    (
        "reveals",
        "whether the refusal may name what the first request made (`reveals = true`) or may not (`false`). Where nobody says, it is observed and not judged within one account; across accounts the floor (`isolation`) always judges it",
    ),
    (
        "set-cookie",
        "cookies that the server makes anew for each reply: a replay that hands out those of the first reply gives a session away",
    ),
];

/// What else is met in a report, the words of skips and doubts among it.
pub(super) const TERMS: [(&str, &str); 64] = [
    (
        "accept",
        "As an answer: the request succeeds, whether by running or by a replay.",
    ),
    (
        "account",
        "Who sends: a credential of the target. Most drills need `a` alone, isolation needs `b`.",
    ),
    (
        "agrees",
        "In `observe --against`: what was seen is what the other side declares.",
    ),
    ("any-of", "As an answer: one of several is right."),
    (
        "at-most",
        "As a bound: no more than so many, where fewer may be right: an attempt that failed half-way may have had its effect or not.",
    ),
    (
        "attempt",
        "One request sent, with a number of its own in the run; `#9` in a story is attempt 9 of the journal.",
    ),
    (
        "base",
        "As a body: the operation's ordinary request, as the target declares it.",
    ),
    (
        "baseline",
        "A file of known violations, each with a reason and a last day; only what is new fails. An entry is stale where its violation was looked for and not seen, expired after its last day.",
    ),
    (
        "by",
        "In a story: the clause that decides, with the file and line that declare it, and whether it is a must or a should.",
    ),
    (
        "changed",
        "As a body: another request under the same key (`bodies.changed`); by default the first integer plus one.",
    ),
    (
        "check",
        "In a story: one thing that must hold, named by its situation and the step that it looks at (`doubletap explain SITUATION`).",
    ),
    (
        "claim-first",
        "A design: the key is claimed in a transaction of its own before the work, so a duplicate meets the claim and is refused until the work is over. Also the policy of the sandbox that is built so.",
    ),
    (
        "clause",
        "What the policy says of one situation. `doubletap explain CLAUSE` tells each, `doubletap check --contract` shows what yours declares.",
    ),
    (
        "contract",
        "All clauses of one operation: floor, policy, its routes, and the target's own `contract.CLAUSE`.",
    ),
    (
        "copies",
        "Requests that are the same byte for byte and are released together (--copies).",
    ),
    (
        "counted",
        "In a story: what the counter said after each step, by intent and account.",
    ),
    (
        "counter",
        "How effects are counted: SQL, a GET, a command or a sink. Without one the identity in the replies decides, and work done twice behind perfect replies is not seen.",
    ),
    (
        "early",
        "Answers that came before the last byte was released: a server may answer when it has read the head. How far apart such copies were is not known.",
    ),
    (
        "effect",
        "One thing that the API really did: a row, a charge. Effects are counted, because a reply may look perfect although the work was done twice.",
    ),
    (
        "effects",
        "What the API did, counted by the target's counter (rows, a GET, a command): they decide, whatever the replies say.",
    ),
    ("expected", "In a story: what the clause asks for."),
    (
        "expired",
        "The key was made to expire as `[expire]` says: sql, http, a command, a wait, or `later`.",
    ),
    (
        "final",
        "The count of all keys once more at the end of the run: an effect that came late shows there.",
    ),
    (
        "floor",
        "What holds under every policy (policies/floor.toml): one effect per key, nothing of one account in another's reply, no 5xx for the duplicate of a success.",
    ),
    (
        "held",
        "The first request was kept in progress while others were sent, by `slow`, `postgres` or `luck`; without proof of it no in-progress drill passes.",
    ),
    (
        "identity",
        "What tells one result from another in a reply: a JSON Pointer, a header, an XML path. The tool finds it, or `identity` declares it.",
    ),
    (
        "in-step",
        "The copies of a round were released close enough together for it to prove a window. Rounds out of step are repeated, and count for what was found, never for what was not.",
    ),
    (
        "intent",
        "One thing that a user wants done once: it has a key and a reference of its own.",
    ),
    (
        "isolation",
        "The floor's clause that nothing the server made for one account reaches another.",
    ),
    (
        "journal",
        "The record of a run, one event a line, without secrets. judge, report, show, diff and resume take its path, its run's id, or `last`.",
    ),
    ("kept", "In a story: checks of the same drill that passed."),
    (
        "later",
        "Keys that expire by themselves, days after (`[expire] later = true`): what waits is kept, and `doubletap resume` goes on with it.",
    ),
    (
        "left-open",
        "In a story: checks of the same drill whose clause the policy leaves open; they were observed and not judged.",
    ),
    (
        "left-out",
        "A step or a check was not part of the drill, because the target does not declare what it needs; the rest was judged.",
    ),
    ("look-for", "In a story: where the cause usually is."),
    (
        "luck",
        "The target declares no way to hold a request in progress (`stall`, --slow), so the duplicate was sent right behind the first and met it in progress only by luck. Where it did, that is judged; where not, the check is skipped.",
    ),
    (
        "mark",
        "The reply carries the header that the policy's `marker` declares for replays.",
    ),
    (
        "means",
        "In a story: what the violation means for those who use the API.",
    ),
    ("must", "A binding clause: its violation fails the run."),
    (
        "not-reached",
        "The drill or the run ended before this step: its story, or a note, says why.",
    ),
    (
        "not-sent",
        "The request never left this machine, or not whole: it had no effect, and says nothing.",
    ),
    (
        "not-told-apart",
        "The counter sums over accounts or requests, so a count does not say whose effect it is.",
    ),
    (
        "one-transaction",
        "A design: key, work and reply are written in one transaction, so a duplicate waits at the unique key and then gets the reply. Also the policy of the sandbox that is built so.",
    ),
    (
        "overlap",
        "At least two copies were open at the same time. A race without proof of it is inconclusive, never a pass.",
    ),
    (
        "policy",
        "A declared contract: a file under policies/ or of your own. `doubletap policies` lists the bundled ones.",
    ),
    (
        "postgres",
        "As a hold: the tool locks a table of the target's database, so that the first request waits in the middle of its work (`stall = { postgres = { lock = TABLE } }`).",
    ),
    (
        "premise",
        "What a verdict rests on, and no clause of the policy: a control, a proof of overlap. Where it is not met the check is inconclusive.",
    ),
    (
        "races",
        "What the bursts of the run prove: copies and rounds, how tightly they were released, and how short a window would have been seen. A shorter one may have gone unseen.",
    ),
    (
        "refuse",
        "As an answer: an error of the declared status and code, and no effect.",
    ),
    (
        "repeat",
        "In a story: commands for bash that send its requests again under fresh keys, or the tool's own command where the moment matters.",
    ),
    (
        "rests-on",
        "In a story: what the verdict was proven by: overlap, holds, counts, an expiry. Without it there would be none.",
    ),
    (
        "round",
        "The whole list of a drill's steps once, with fresh keys; races are repeated (--rounds).",
    ),
    (
        "run",
        "As an answer: the request is carried out as a new one. Also: everything that one command sent, with an id of its own.",
    ),
    (
        "sent",
        "In a story: the requests, when they went out and came back (in milliseconds since the first), and what came.",
    ),
    (
        "settle",
        "How long effects may take to become visible: so long is waited before they are counted (`settle`, --settle).",
    ),
    (
        "should",
        "A clause, or a part of one, that the policy asks for without making it binding: its violation warns. `--strict` makes it a fail.",
    ),
    (
        "slow",
        "As a hold: the first request is sent with what makes the service answer slowly (`stall = { slow = BODY }`, --slow).",
    ),
    ("source", "In a story: where the requirement is written."),
    (
        "spread",
        "The time between the first and the last release of a round's copies.",
    ),
    (
        "stall",
        "How the target lets a request be held in progress: `slow` (a body or header that makes it slow) or `postgres` (a lock). Without it only luck meets a request in progress.",
    ),
    (
        "unknown",
        "No whole reply came: a timeout, a reset, a cut reply, a gateway's error. It may or may not have been carried out, so nothing is concluded from it.",
    ),
    (
        "unspecified",
        "Nobody declares it: it is sent and observed, and never judged.",
    ),
    (
        "wait",
        "As an answer: the duplicate is kept waiting until the first is over, and then gets its reply.",
    ),
    (
        "window",
        "The time in which a second request still finds no trace of the first. The report says how short a one would have been seen.",
    ),
];

/// A word of reports in a sentence; blanks may be typed for hyphens.
pub(super) fn term(word: &str) -> Option<&'static str> {
    let word = word.to_ascii_lowercase().replace([' ', '_'], "-");
    TERMS
        .iter()
        .find(|(name, _)| *name == word)
        .map(|(_, said)| *said)
}

/// A part of a clause in a sentence.
pub(super) fn part(word: &str) -> Option<&'static str> {
    PARTS
        .iter()
        .find(|(name, _)| *name == word)
        .map(|(_, said)| *said)
}
