//! Situations, steps and clauses in sentences, for `drills` and `explain`.
//! It must not judge: the judge's own rules decide, this only tells them.

use schemars::generate::SchemaSettings;
use serde_json::Value;

use crate::config::suite::{Drill, RequestFields, Step, Until, Vary};
use crate::contract::ContractPatch;

/// The situations, with what must hold and the clauses that decide.
pub(super) const SITUATIONS: [(&str, &str, &[&str]); 17] = [
    (
        "control",
        "counters can rise, and a fresh key has an effect and an identity of its own",
        &[],
    ),
    (
        "replay",
        "the repeat of a finished request gets the stored reply and does nothing",
        &["replay", "marker", "one-effect"],
    ),
    (
        "concurrent",
        "copies released together have one effect and one identity",
        &["in-progress", "replay", "marker", "one-effect"],
    ),
    (
        "in-progress",
        "a duplicate that meets a running request gets the declared answer and never runs",
        &["in-progress", "in-progress-for", "mismatch"],
    ),
    (
        "mismatch",
        "another request under a used key gets the declared answer and does nothing",
        &["mismatch"],
    ),
    (
        "other-account",
        "the same key text of another account is another key",
        &["scope.account", "isolation"],
    ),
    (
        "other-scope",
        "the same key text elsewhere means what the policy says",
        &[
            "scope.credential",
            "scope.anonymous",
            "scope.route",
            "scope.resource",
            "scope.query",
            "scope.method",
            "scope.region",
        ],
    ),
    (
        "same-request",
        "the same request written otherwise is the same request, as far as declared",
        &[
            "fingerprint.covers",
            "fingerprint.members-reordered",
            "fingerprint.whitespace",
            "fingerprint.number-form",
            "fingerprint.null-member",
            "fingerprint.array-reordered",
            "fingerprint.unicode-escapes",
            "fingerprint.content-type-charset",
            "fingerprint.unrelated-header",
            "fingerprint.added-member",
        ],
    ),
    (
        "key-syntax",
        "keys of odd shapes are taken or refused as declared",
        &[
            "missing",
            "malformed.empty",
            "malformed.too-short",
            "malformed.too-long",
            "malformed.charset",
            "malformed.form",
            "malformed.twice",
        ],
    ),
    (
        "distinct-keys",
        "keys that are nearly the same are different keys",
        &["one-effect"],
    ),
    (
        "stored",
        "a result that is no success is kept, or not, as declared",
        &[
            "stored.success",
            "stored.validation",
            "stored.business",
            "stored.auth",
            "stored.rate-limited",
            "stored.server-error",
        ],
    ),
    (
        "recovered",
        "the retry of a request whose reply was lost finds it again",
        &["replay", "in-progress", "one-effect"],
    ),
    (
        "after-retention",
        "the same request after its key expired gets the declared answer",
        &["after-retention", "retention"],
    ),
    (
        "nothing-leaks",
        "nothing that the server made for one appears in the other's reply",
        &["isolation", "mismatch"],
    ),
    (
        "unkeyed",
        "the same request twice without a key runs twice",
        &["missing"],
    ),
    (
        "keyed-method",
        "a key on a method that needs none means what the policy says",
        &["methods.get", "methods.put", "methods.delete"],
    ),
    (
        "preflight",
        "the CORS preflight allows the key's header",
        &[],
    ),
];

/// What a clause is about: the sentence of its field, from the schema of policies. `None`: there is no such clause.
pub(super) fn clause(name: &str) -> Option<String> {
    let schema = SchemaSettings::draft07()
        .into_generator()
        .into_root_schema_for::<ContractPatch>();
    let root = schema.as_value();
    let mut at = root;
    let mut said = Vec::new();
    for part in name.split('.') {
        at = resolved(root, at)?.pointer("/properties")?.get(part)?;
        let own = at.get("description").and_then(Value::as_str);
        let described = || {
            resolved(root, at)?
                .get("description")
                .and_then(Value::as_str)
        };
        said.extend(own.or_else(described));
    }
    // a member of a group is understood after what the group is about
    Some(said.join(" "))
}

/// The names of all clauses.
pub(super) fn clauses() -> Vec<String> {
    let schema = SchemaSettings::draft07()
        .into_generator()
        .into_root_schema_for::<ContractPatch>();
    let root = schema.as_value();
    let mut names = Vec::new();
    let members = |at: &Value| {
        let properties = resolved(root, at)?.get("properties")?.as_object()?.clone();
        Some(properties)
    };
    for (name, field) in members(root).unwrap_or_default() {
        // groups of clauses have tables of their own; a clause's own fields are no clauses
        let group =
            ["malformed", "scope", "fingerprint", "stored", "methods"].contains(&name.as_str());
        match members(&field).filter(|_| group) {
            Some(inner) => names.extend(inner.keys().map(|inner| format!("{name}.{inner}"))),
            None => names.push(name),
        }
    }
    names
}

fn resolved<'v>(root: &'v Value, at: &'v Value) -> Option<&'v Value> {
    // optional fields are `anyOf` a reference and null; described ones wrap theirs in `allOf`
    for list in ["anyOf", "allOf"] {
        if let Some(first) = at.get(list).and_then(|list| list.get(0)) {
            return resolved(root, first);
        }
    }
    match at.get("$ref").and_then(Value::as_str) {
        Some(reference) => resolved(root, root.pointer(reference.trim_start_matches('#'))?),
        None => Some(at),
    }
}

/// A step in words.
pub(super) fn step(step: &Step) -> String {
    match step {
        Step::Send(fields) => format!("send {}", request(fields)),
        Step::Retry(fields) => format!(
            "send, as a well-behaved client repeats, {}",
            request(fields)
        ),
        Step::Burst(burst) => {
            let copies = match burst.copies {
                Some(copies) => format!("{copies} copies"),
                None => "copies (--copies says how many)".to_owned(),
            };
            format!("release {copies} together: {}", requests(&burst.send))
        }
        Step::Overlap(overlap) => format!(
            "hold {} in progress, and meanwhile send {}",
            request(&overlap.first),
            requests(&overlap.during)
        ),
        Step::Count(count) => format!("count the effects (`{}`)", count.name),
        Step::Expire(expire) => format!(
            "make the key `{}` expire, in the way that the target declares",
            expire.key
        ),
        Step::Hook(hook) => format!("run the target's command `{}`", hook.run),
        Step::Wait(wait) => match (wait.length, wait.percent_of_retention, wait.until) {
            (Some(length), ..) => format!("wait {length}"),
            (None, Some(percent), _) => format!("wait {percent} % of the declared retention"),
            (None, None, Some(Until::EndOfRun)) => {
                "wait until the other drills of the run are done".to_owned()
            }
            (None, None, None) => "wait".to_owned(),
        },
        Step::Read(fields) => format!("read the effects with {}", request(fields)),
    }
}

fn requests(all: &[RequestFields]) -> String {
    all.iter().map(request).collect::<Vec<_>>().join("; ")
}

fn request(fields: &RequestFields) -> String {
    let mut text = match &fields.name {
        Some(name) => format!("`{name}` ("),
        None => "a request (".to_owned(),
    };
    text.push_str(fields.body.as_deref().unwrap_or("base"));
    match &fields.key {
        Some(key) => text.push_str(&format!(", key `{key}`")),
        None => text.push_str(", no key"),
    }
    let account = fields
        .account
        .as_deref()
        .map(|account| format!("account {account}"));
    let operation = fields
        .operation
        .as_deref()
        .map(|operation| format!("operation {operation}"));
    for part in [account, operation].into_iter().flatten() {
        text.push_str(", ");
        text.push_str(&part);
    }
    let spelled = [
        ("written", fields.written.map(serde_json::to_value)),
        ("vary", fields.vary.as_ref().map(serde_json::to_value)),
        ("cut", fields.cut.map(serde_json::to_value)),
    ];
    for (label, value) in spelled {
        if let Some(Ok(value)) = value {
            let value = value
                .to_string()
                .replace(['"', '{', '}'], "")
                .replace(':', " ");
            text.push_str(&format!(", {label} {value}"));
        }
    }
    text.push(')');
    text
}

/// What a target must declare for a drill, beside an operation and account `a`.
pub(super) fn needs(drill: &Drill) -> Vec<String> {
    let mut needs: Vec<String> = Vec::new();
    let mut need = |what: String| {
        if !needs.contains(&what) {
            needs.push(what);
        }
    };
    let mut fields: Vec<RequestFields> = drill
        .case
        .iter()
        .flat_map(|case| case.with.values().cloned())
        .collect();
    for step in &drill.step {
        fields.extend(crate::plan::requests_of(step).into_iter().cloned());
        match step {
            Step::Expire(_) => need("[expire]".to_owned()),
            Step::Overlap(_) => need("stall".to_owned()),
            Step::Hook(hook) => need(format!("[hook] {}", hook.run)),
            Step::Read(_) => need("count.get".to_owned()),
            _ => {}
        }
    }
    for fields in fields {
        if let Some(account) = fields.account.filter(|account| account != "a") {
            need(format!("account {account}"));
        }
        if fields.operation.as_deref() == Some("other") {
            need("a second operation".to_owned());
        }
        if let Some(body) = fields.body.filter(|body| body != "base") {
            need(format!("bodies.{body}"));
        }
        if let Some(Vary::Replica(_)) = fields.vary {
            need("a second replica".to_owned());
        }
    }
    needs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_clause_that_a_situation_reads_exists_and_is_described() {
        for (situation, _, names) in SITUATIONS {
            for name in names {
                assert!(
                    clause(name).is_some(),
                    "{situation} reads `{name}`, which no policy can declare"
                );
            }
        }
        assert!(clauses().len() > 30, "{:?}", clauses());
        for name in clauses() {
            assert!(clause(&name).is_some_and(|said| said.len() > 4), "{name}");
        }
        assert_eq!(clause("no-such"), None);
        assert_eq!(clause("scope.nobody"), None);
    }

    #[test]
    fn every_situation_of_the_bundled_drills_is_told() {
        for (file, text) in crate::bundled::drills() {
            let drill: Drill = toml::from_str(text).unwrap();
            for check in &drill.check {
                let known = SITUATIONS
                    .iter()
                    .any(|(name, _, _)| *name == check.situation());
                assert!(known, "{file}: {}", check.situation());
            }
        }
    }

    #[test]
    fn needs_are_what_the_steps_ask_for() {
        let drill = |id: &str| -> Drill {
            let (_, text) = *crate::bundled::drills()
                .iter()
                .find(|(name, _)| *name == format!("suites/{id}.toml"))
                .unwrap();
            toml::from_str(text).unwrap()
        };
        assert_eq!(needs(&drill("drill/after-retention")), ["[expire]"]);
        assert_eq!(needs(&drill("drill/other-account")), ["account b"]);
        assert_eq!(
            needs(&drill("drill/in-progress")),
            ["stall", "bodies.changed"]
        );
        assert!(needs(&drill("drill/replay")).is_empty());
    }
}
