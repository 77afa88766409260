//! Lays patches over each other, the later one winning clause by clause, into the contract of one operation.
//! It must not know which files the patches come from, nor which routes an operation fits.

use super::patch::{ContractPatch, KeyPatch};
use super::terms::{Contract, open};
use super::{Clause, KeyRule, Level, Origin, Placed};

/// One patch, with the way from its bytes to a place that people can find.
pub struct Layer<'a> {
    /// What it declares.
    pub patch: &'a ContractPatch,
    /// The place of its bytes.
    pub origin: &'a dyn Fn(usize) -> Origin,
}

/// The patches of one file, and the clauses that the file calls a should.
pub struct Group<'a> {
    /// Its patches, in order: `[contract]`, then the routes that fit.
    pub layers: Vec<Layer<'a>>,
    /// Clauses, groups of clauses (`malformed`), or parts (`mismatch.status`).
    pub should: &'a [String],
}

/// Runs a macro once for every clause that is replaced whole: `(name in words, fields in turn)`.
macro_rules! every_clause {
    ($each:ident) => {
        $each!("missing", missing);
        $each!("malformed.empty", malformed, empty);
        $each!("malformed.too-short", malformed, too_short);
        $each!("malformed.too-long", malformed, too_long);
        $each!("malformed.charset", malformed, charset);
        $each!("malformed.form", malformed, form);
        $each!("malformed.twice", malformed, twice);
        $each!("mismatch", mismatch);
        $each!("in-progress", in_progress);
        $each!("in-progress-for", in_progress_for);
        $each!("errors-at", errors_at);
        $each!("replay", replay);
        $each!("marker", marker);
        $each!("scope.account", scope, account);
        $each!("scope.credential", scope, credential);
        $each!("scope.anonymous", scope, anonymous);
        $each!("scope.route", scope, route);
        $each!("scope.resource", scope, resource);
        $each!("scope.query", scope, query);
        $each!("scope.method", scope, method);
        $each!("scope.region", scope, region);
        $each!("fingerprint.covers", fingerprint, covers);
        $each!("fingerprint.ignores", fingerprint, ignores);
        $each!(
            "fingerprint.members-reordered",
            fingerprint,
            members_reordered
        );
        $each!("fingerprint.whitespace", fingerprint, whitespace);
        $each!("fingerprint.number-form", fingerprint, number_form);
        $each!("fingerprint.null-member", fingerprint, null_member);
        $each!("fingerprint.array-reordered", fingerprint, array_reordered);
        $each!("fingerprint.unicode-escapes", fingerprint, unicode_escapes);
        $each!(
            "fingerprint.content-type-charset",
            fingerprint,
            content_type_charset
        );
        $each!(
            "fingerprint.unrelated-header",
            fingerprint,
            unrelated_header
        );
        $each!("fingerprint.added-member", fingerprint, added_member);
        $each!("stored.success", stored, success);
        $each!("stored.validation", stored, validation);
        $each!("stored.business", stored, business);
        $each!("stored.auth", stored, auth);
        $each!("stored.rate-limited", stored, rate_limited);
        $each!("stored.server-error", stored, server_error);
        $each!("after-retention", after_retention);
        $each!("methods.get", methods, get);
        $each!("methods.put", methods, put);
        $each!("methods.delete", methods, delete);
        $each!("methods.stale-if-match", methods, stale_if_match);
        $each!("one-effect", one_effect);
        $each!("isolation", isolation);
        $each!("no-server-error", no_server_error);
    };
}

/// The names of all clauses.
#[must_use]
pub fn clause_names() -> Vec<&'static str> {
    let mut names = vec!["key", "retention"];
    macro_rules! name {
        ($name:literal, $($field:ident),+) => {
            names.push($name);
        };
    }
    every_clause!(name);
    names
}

/// Parts that a `should` list may name after a clause.
pub const PARTS: [&str; 6] = ["status", "body", "header", "headers", "code", "reveals"];

/// What a `should` list may name: a clause, a group of clauses, or a clause's part.
#[must_use]
pub fn is_should_name(name: &str) -> bool {
    let names = clause_names();
    let is_group = |text: &str| {
        names.iter().any(|known| {
            known
                .strip_prefix(text)
                .is_some_and(|rest| rest.starts_with('.'))
        })
    };
    if names.contains(&name) || is_group(name) {
        return true;
    }
    name.rsplit_once('.')
        .is_some_and(|(clause, part)| names.contains(&clause) && PARTS.contains(&part))
}

/// The contract of one operation: later groups win over earlier ones, later layers over earlier ones.
#[must_use]
pub fn merge(groups: &[Group<'_>]) -> Contract {
    let mut contract = open();
    for group in groups {
        for layer in &group.layers {
            lay(&mut contract, layer);
        }
        for name in group.should {
            mark(&mut contract, name);
        }
    }
    contract
}

fn lay(contract: &mut Contract, layer: &Layer<'_>) {
    let patch = layer.patch;
    macro_rules! replace {
        ($name:literal, $($field:ident),+) => {
            replace(&mut contract.$($field).+, patch.$($field).+.as_ref(), layer);
        };
    }
    every_clause!(replace);
    if let Some(key) = &patch.key {
        merge_key(&mut contract.key.value, &key.value);
        contract.key.origin = Some((layer.origin)(key.span.start));
    }
    if let Some(retention) = &patch.retention {
        let (old, new) = (&mut contract.retention.value, retention.value);
        old.at_least = new.at_least.or(old.at_least);
        old.at_most = new.at_most.or(old.at_most);
        contract.retention.origin = Some((layer.origin)(retention.span.start));
    }
}

/// A clause that is declared anew is a must again: who declares it says how binding it is.
fn replace<T: Clone>(clause: &mut Clause<T>, declared: Option<&Placed<T>>, layer: &Layer<'_>) {
    if let Some(declared) = declared {
        clause.value = declared.value.clone();
        clause.origin = Some((layer.origin)(declared.span.start));
        clause.level = Level::Must;
        clause.should_parts.clear();
    }
}

fn merge_key(rule: &mut KeyRule, patch: &KeyPatch) {
    let patch = patch.clone();
    rule.carrier = patch.r#in.unwrap_or_else(|| rule.carrier.clone());
    rule.form = patch.form.unwrap_or(rule.form);
    rule.format = patch.format.unwrap_or(rule.format);
    rule.least = patch.least.or(rule.least);
    rule.most = patch.most.or(rule.most);
    rule.unit = patch.unit.unwrap_or(rule.unit);
    rule.charset = patch.charset.or_else(|| rule.charset.clone());
    rule.case_sensitive = patch.case_sensitive.or(rule.case_sensitive);
    rule.companions = patch.companions.unwrap_or_else(|| rule.companions.clone());
}

fn mark(contract: &mut Contract, should: &str) {
    let one = |name: &str, level: &mut Level, parts: &mut Vec<String>| {
        let within = |outer: &str, inner: &str| {
            inner
                .strip_prefix(outer)?
                .strip_prefix('.')
                .map(str::to_owned)
        };
        if name == should || within(should, name).is_some() {
            *level = Level::Should;
        } else if let Some(part) = within(name, should)
            && !parts.contains(&part)
        {
            parts.push(part);
        }
    };
    macro_rules! mark {
        ($name:literal, $($field:ident),+) => {
            let clause = &mut contract.$($field).+;
            one($name, &mut clause.level, &mut clause.should_parts);
        };
    }
    every_clause!(mark);
    mark!("key", key);
    mark!("retention", retention);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Answer;

    fn patch(text: &str) -> ContractPatch {
        toml::from_str(text).unwrap()
    }

    fn merged(texts: &[(&str, &[&str])]) -> Contract {
        let patches: Vec<_> = texts.iter().map(|(text, _)| patch(text)).collect();
        let shoulds: Vec<Vec<String>> = texts
            .iter()
            .map(|(_, should)| should.iter().map(|s| (*s).to_owned()).collect())
            .collect();
        let origins: Vec<_> = (0..texts.len())
            .map(|n| {
                move |_| Origin {
                    file: format!("file-{n}"),
                    line: 1,
                }
            })
            .collect();
        let groups: Vec<_> = patches
            .iter()
            .zip(&shoulds)
            .zip(&origins)
            .map(|((patch, should), origin)| Group {
                layers: vec![Layer { patch, origin }],
                should,
            })
            .collect();
        merge(&groups)
    }

    #[test]
    fn structs_merge_by_field_and_enums_are_replaced_whole() {
        let contract = merged(&[
            (
                "key = { in = { header = \"X\" }, most = 9 }\nretention.at-least = \"1h\"\nmismatch.refuse = { status = [422], reveals = false }",
                &[],
            ),
            (
                "key.most = 64\nretention.at-most = \"2h\"\nmismatch.refuse = { status = [409] }",
                &[],
            ),
        ]);
        assert_eq!(contract.key.value.most, Some(64));
        assert_eq!(
            contract.key.value.carrier,
            super::super::Carrier::Header("X".into())
        );
        assert_eq!(
            contract.retention.value.at_least,
            Some("1h".parse().unwrap())
        );
        assert_eq!(
            contract.retention.value.at_most,
            Some("2h".parse().unwrap())
        );
        let Answer::Refuse(how) = &contract.mismatch.value else {
            panic!("{:?}", contract.mismatch)
        };
        assert_eq!(how.reveals, None, "an enum is replaced whole");
        assert_eq!(contract.mismatch.origin.as_ref().unwrap().file, "file-1");
        assert_eq!(
            contract.missing.origin, None,
            "what nobody declared has no origin"
        );
    }

    #[test]
    fn a_should_names_a_clause_a_group_or_a_part_and_ends_where_the_clause_is_declared_anew() {
        let first = (
            "mismatch.refuse = {}\nmissing = \"run\"",
            &["mismatch.status", "missing", "stored"] as &[&str],
        );
        let contract = merged(&[first]);
        assert_eq!(contract.mismatch.level, Level::Must);
        assert_eq!(contract.mismatch.level_of("status"), Level::Should);
        assert_eq!(contract.missing.level, Level::Should);
        assert_eq!(contract.stored.validation.level, Level::Should);

        let contract = merged(&[first, ("mismatch.refuse = { status = [422] }", &[])]);
        assert_eq!(contract.mismatch.level_of("status"), Level::Must);
        assert_eq!(contract.missing.level, Level::Should);
    }

    #[test]
    fn every_name_is_the_name_of_its_clause() {
        let contract = open();
        macro_rules! same_name {
            ($name:literal, $($field:ident),+) => { assert_eq!(contract.$($field).+.name, $name); };
        }
        every_clause!(same_name);
        for good in [
            "mismatch",
            "mismatch.status",
            "malformed",
            "stored.validation",
            "stored.validation.status",
            "key",
        ] {
            assert!(is_should_name(good), "{good}");
        }
        for bad in ["mismach", "mismatch.colour", "status", ""] {
            assert!(!is_should_name(bad), "{bad}");
        }
    }
}
