//! Two requests under one key: the same request, another one, or not declared.
//! It must not know what a server answered to either.

use super::json::Json;
use super::{Contract, Covers, Sameness};
use crate::config::suite::{Vary, Written};

/// A request as far as its meaning goes.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The operation.
    pub operation: &'a str,
    /// Which body of the target.
    pub body_name: &'a str,
    /// Other bytes for the same meaning.
    pub written: Option<Written>,
    /// What else is varied.
    pub vary: Option<&'a Vary>,
    /// The body, where it is kept whole.
    pub body: Option<&'a str>,
    /// Equal for equal bytes.
    pub digest: &'a str,
}

/// How two requests stand to each other, with the clause that says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// Same, different, or not declared.
    pub sameness: Sameness,
    /// The clause's name (`fingerprint.whitespace`, `fingerprint.covers`).
    pub clause: String,
}

/// How the second request stands to the first.
#[must_use]
pub fn relation(contract: &Contract, first: Asked<'_>, second: Asked<'_>) -> Relation {
    let fingerprint = &contract.fingerprint;
    let covers = fingerprint.covers.value;
    let by_covers = |sameness| Relation {
        sameness,
        clause: fingerprint.covers.name.clone(),
    };
    if first.operation != second.operation {
        return by_covers(Sameness::Different);
    }
    let named = |clause: &super::Clause<Sameness>, otherwise: Sameness| {
        if clause.value == Sameness::Unspecified {
            by_covers(otherwise)
        } else {
            Relation {
                sameness: clause.value,
                clause: clause.name.clone(),
            }
        }
    };
    // what follows from what is compared, for a difference in the bytes of the body alone or in its meaning
    let bytes = match covers {
        Covers::Unspecified => Sameness::Unspecified,
        Covers::None | Covers::Json => Sameness::Same,
        Covers::Bytes => Sameness::Different,
    };
    let meaning = match covers {
        Covers::Unspecified => Sameness::Unspecified,
        Covers::None => Sameness::Same,
        Covers::Bytes | Covers::Json => Sameness::Different,
    };
    let outside = match covers {
        Covers::Unspecified => Sameness::Unspecified,
        Covers::None | Covers::Bytes | Covers::Json => Sameness::Same,
    };

    if first.body_name != second.body_name {
        if ignored_alone(&fingerprint.ignores.value, first.body, second.body) {
            return Relation {
                sameness: Sameness::Same,
                clause: fingerprint.ignores.name.clone(),
            };
        }
        // a body that the target names otherwise is meant as another request, whatever else is declared
        return by_covers(match covers {
            Covers::None => Sameness::Same,
            Covers::Unspecified | Covers::Bytes | Covers::Json => Sameness::Different,
        });
    }
    if first.written != second.written {
        let how = second.written.or(first.written);
        return match how {
            None => by_covers(Sameness::Same),
            Some(Written::MembersReordered) => named(&fingerprint.members_reordered, bytes),
            Some(Written::Whitespace) => named(&fingerprint.whitespace, bytes),
            Some(Written::NumberForm) => named(&fingerprint.number_form, bytes),
            Some(Written::UnicodeEscapes) => named(&fingerprint.unicode_escapes, bytes),
            Some(Written::NullMember) => named(&fingerprint.null_member, meaning),
            Some(Written::ArrayReordered) => named(&fingerprint.array_reordered, meaning),
            Some(Written::AddedMember) => named(&fingerprint.added_member, meaning),
            Some(Written::IgnoredMember) if fingerprint.ignores.value.is_empty() => {
                by_covers(meaning)
            }
            Some(Written::IgnoredMember) => Relation {
                sameness: Sameness::Same,
                clause: fingerprint.ignores.name.clone(),
            },
        };
    }
    if first.vary != second.vary {
        return match second.vary.or(first.vary) {
            Some(Vary::ContentTypeCharset) => named(&fingerprint.content_type_charset, outside),
            Some(Vary::UnrelatedHeader) => named(&fingerprint.unrelated_header, outside),
            Some(Vary::NewConnection | Vary::Replica(_)) | None => by_covers(Sameness::Same),
            // routes, queries, methods and credentials are the scope's business
            Some(_) => by_covers(Sameness::Unspecified),
        };
    }
    by_covers(Sameness::Same)
}

/// Whether two bodies differ, and only in members that the fingerprint ignores.
fn ignored_alone(ignores: &[String], first: Option<&str>, second: Option<&str>) -> bool {
    let (Some(first), Some(second)) = (first.and_then(Json::read), second.and_then(Json::read))
    else {
        return false;
    };
    let (mut a, mut b) = (first, second);
    for pointer in ignores {
        a.remove(pointer);
        b.remove(pointer);
    }
    !ignores.is_empty() && a == b
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::terms::open;

    fn asked(body_name: &'static str, body: &'static str) -> Asked<'static> {
        Asked {
            operation: "pay",
            body_name,
            written: None,
            vary: None,
            body: Some(body),
            digest: body,
        }
    }

    fn written(how: Written) -> Asked<'static> {
        Asked {
            written: Some(how),
            ..asked("base", "{}")
        }
    }

    #[test]
    fn a_changed_body_is_another_request_unless_nothing_is_compared() {
        let mut c = open();
        let (a, b) = (asked("base", r#"{"n":1}"#), asked("changed", r#"{"n":2}"#));
        assert_eq!(relation(&c, a, b).sameness, Sameness::Different);
        c.fingerprint.covers.value = Covers::None;
        assert_eq!(relation(&c, a, b).sameness, Sameness::Same);
        assert_eq!(relation(&open(), a, a).sameness, Sameness::Same);
    }

    #[test]
    fn a_change_in_ignored_members_alone_is_the_same_request() {
        let mut c = open();
        c.fingerprint.covers.value = Covers::Json;
        c.fingerprint.ignores.value = vec!["/at".into()];
        let first = asked("base", r#"{"n":1,"at":1}"#);
        let same = relation(&c, first, asked("later", r#"{"n":1,"at":2}"#));
        assert_eq!(
            (same.sameness, same.clause.as_str()),
            (Sameness::Same, "fingerprint.ignores")
        );
        let other = relation(&c, first, asked("later", r#"{"n":2,"at":2}"#));
        assert_eq!(other.sameness, Sameness::Different);
    }

    #[test]
    fn other_bytes_are_judged_by_their_own_clause_then_by_what_is_compared() {
        let mut c = open();
        let first = asked("base", "{}");
        let of = |c: &Contract, how| relation(c, first, written(how)).sameness;
        assert_eq!(of(&c, Written::Whitespace), Sameness::Unspecified);
        c.fingerprint.covers.value = Covers::Bytes;
        assert_eq!(of(&c, Written::Whitespace), Sameness::Different);
        c.fingerprint.covers.value = Covers::Json;
        assert_eq!(of(&c, Written::Whitespace), Sameness::Same);
        assert_eq!(of(&c, Written::AddedMember), Sameness::Different);
        c.fingerprint.whitespace.value = Sameness::Different;
        let named = relation(&c, first, written(Written::Whitespace));
        assert_eq!(named.clause, "fingerprint.whitespace");
        assert_eq!(named.sameness, Sameness::Different);
    }

    #[test]
    fn another_operation_is_another_request() {
        let other = Asked {
            operation: "refund",
            ..asked("base", "{}")
        };
        assert_eq!(
            relation(&open(), asked("base", "{}"), other).sameness,
            Sameness::Different
        );
    }
}
