//! Stories of keys: what an intent of some shape carries, and which keys cannot be sent.
//! They must not send anything.

use super::*;
use crate::contract::{Carrier, Companion, KeyFormat, KeyRule, WireForm};

fn rule(change: impl FnOnce(&mut KeyRule)) -> KeyRule {
    let mut rule = KeyRule::default();
    change(&mut rule);
    rule
}

/// A rule whose requests carry headers beside the key.
fn accompanied() -> KeyRule {
    let companion = |header: &str, value: &str| Companion {
        header: header.into(),
        value: value.into(),
    };
    rule(|rule| {
        rule.companions = vec![
            companion("Prefer", "respond-async"),
            companion("Repeatability-First-Sent", "now"),
            companion("X-Request-Id", "uuid"),
        ];
    })
}

/// An intent `k` with what its set-up made, and one of another shape beside it.
fn two(shape: KeyShape, rule: &KeyRule) -> (Intent, Result<Intent, String>) {
    let mut fresh = Counted::default();
    let mut make = |name: &str, shape: &KeyShape, others: &BTreeMap<String, Intent>| {
        intent::make(name, shape, others, rule, "run1", &mut fresh)
    };
    let mut k = make("k", &KeyShape::Fresh, &BTreeMap::new()).unwrap();
    k.captured.insert("payment".into(), "pay_1".into());
    let others = BTreeMap::from([("k".to_owned(), k.clone())]);
    (k, make("j", &shape, &others))
}

fn made(shape: KeyShape, rule: &KeyRule) -> Intent {
    two(shape, rule).1.unwrap()
}

fn refused(shape: KeyShape, rule: &KeyRule) -> String {
    two(shape, rule).1.unwrap_err()
}

fn texts(intent: &Intent) -> Vec<String> {
    let lines = intent.lines.iter();
    lines
        .map(|line| String::from_utf8(line.clone()).unwrap())
        .collect()
}

/// What the body and the path of a request are filled with.
fn content(intent: &Intent) -> (&str, &str, u64, &BTreeMap<String, String>) {
    let Intent {
        reference, uuid, n, ..
    } = intent;
    (reference, uuid, *n, &intent.captured)
}

#[test]
fn companions_go_with_the_key_and_not_without_it() {
    let (k, same) = two(KeyShape::SameAs("k".into()), &accompanied());
    let names: Vec<&str> = k.companions.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        ["Prefer", "Repeatability-First-Sent", "X-Request-Id"]
    );
    assert_eq!(k.companions[0].1, "respond-async");
    assert_eq!(k.companions[1].1, "Thu, 01 Jan 1970 00:00:00 GMT");
    assert_eq!(k.companions[2].1.len(), 36, "{:?}", k.companions);
    assert_eq!(same.unwrap().companions, k.companions);
    let fresh = made(KeyShape::Fresh, &accompanied());
    assert_ne!(
        fresh.companions[2], k.companions[2],
        "a fresh key has its own"
    );
    assert_eq!(made(KeyShape::Missing, &accompanied()).companions, []);
}

#[test]
fn the_same_key_for_another_account_keeps_its_form_and_what_was_set_up() {
    let (k, same) = two(KeyShape::SameAs("k".into()), &accompanied());
    let same = same.unwrap();
    assert_eq!((&same.key, &same.lines), (&k.key, &k.lines));
    assert_eq!((same.form, &same.captured), (k.form, &k.captured));
    assert_ne!((&same.reference, &same.uuid), (&k.reference, &k.uuid));
    // a repeat of a key that was written otherwise is written otherwise, too
    let rule = accompanied();
    let mut fresh = Counted::default();
    let quoted = made(KeyShape::OtherForm, &rule);
    let others = BTreeMap::from([("k".to_owned(), quoted.clone())]);
    let shape = KeyShape::SameAs("k".into());
    let again = intent::make("j", &shape, &others, &rule, "run1", &mut fresh).unwrap();
    assert_eq!((again.form, &again.lines), (quoted.form, &quoted.lines));
}

#[test]
fn another_key_for_the_same_content_changes_the_key_alone() {
    let (k, other) = two(KeyShape::SameReferenceAs("k".into()), &accompanied());
    let other = other.unwrap();
    assert_eq!(content(&other), content(&k));
    assert_ne!(other.key, k.key);
    for shape in [
        KeyShape::OtherFormOf("k".into()),
        KeyShape::TwoLinesOf("k".into()),
    ] {
        let (k, other) = two(shape, &accompanied());
        let other = other.unwrap();
        assert_eq!(content(&other), content(&k));
        assert_eq!((&other.key, &other.companions), (&k.key, &k.companions));
    }
}

#[test]
fn one_key_is_written_in_two_forms_on_two_lines_and_as_a_list() {
    let bare = rule(|_| {});
    let quoted = rule(|rule| rule.form = WireForm::SfString);
    for shape in [KeyShape::OtherForm, KeyShape::OtherFormOf("k".into())] {
        let other = made(shape.clone(), &bare);
        let key = other.key.clone().unwrap();
        assert_eq!(
            (texts(&other), other.form),
            (vec![format!("\"{key}\"")], WireForm::SfString)
        );
        assert_eq!(other.lines_in(WireForm::SfString), other.lines);
        assert_eq!(other.lines_in(WireForm::Bare), [key.as_bytes()]);
        let other = made(shape, &quoted);
        let key = other.key.clone().unwrap();
        assert_eq!((texts(&other), other.form), (vec![key], WireForm::Bare));
    }
    for shape in [KeyShape::TwoLines, KeyShape::TwoLinesOf("k".into())] {
        let twice = made(shape, &bare);
        let key = twice.key.clone().unwrap();
        assert_eq!(texts(&twice), [key.clone(), key]);
    }
    let list = made(KeyShape::CommaList, &quoted);
    let key = list.key.clone().unwrap();
    assert_eq!(texts(&list), [format!("\"{key}\", \"{key}\"")]);
    // what was sent in a form of its own is repeated in it
    assert_eq!(list.lines_in(WireForm::SfString), list.lines);
}

#[test]
fn what_a_path_a_member_or_a_format_cannot_carry_is_refused_with_the_reason() {
    let path = rule(|rule| rule.carrier = Carrier::Path("key".into()));
    assert!(refused(KeyShape::Missing, &path).contains("cannot be left out"));
    assert!(refused(KeyShape::TwoLines, &path).contains("cannot carry a key twice"));
    let query = rule(|rule| rule.carrier = Carrier::Query("key".into()));
    assert_eq!(made(KeyShape::TwoLines, &query).lines.len(), 2);
    assert_eq!(made(KeyShape::Blank, &query).key.as_deref(), Some(" "));
    let control = made(KeyShape::ControlByte, &query).key.unwrap();
    assert!(
        control.len() > 20 && control.contains('\u{1}'),
        "{control:?}"
    );
    let uuid = rule(|rule| rule.format = KeyFormat::UuidV4);
    for shape in [KeyShape::AtMaximum, KeyShape::OfLength(40)] {
        assert!(refused(shape, &uuid).contains("one length"));
    }
    assert_eq!(made(KeyShape::OfLength(40), &query).key.unwrap().len(), 40);
    let digits = rule(|rule| rule.format = KeyFormat::Digits);
    let upper = refused(KeyShape::UpperOf("k".into()), &digits);
    assert!(upper.contains("no letters"), "{upper}");
    assert!(refused(KeyShape::SameAs("z".into()), &query).contains("`z` before it has a key"));
}

#[test]
fn keys_are_as_long_as_their_shape_and_the_policy_say() {
    let length = |shape: KeyShape, rule: &KeyRule| made(shape, rule).key.unwrap().chars().count();
    let open = rule(|_| {});
    assert_eq!(length(KeyShape::Empty, &open), 0);
    assert_eq!(length(KeyShape::OneCharacter, &open), 1);
    assert_eq!(length(KeyShape::AtMaximum, &open), 255);
    assert_eq!(length(KeyShape::OverMaximum, &open), 256);
    assert_eq!(length(KeyShape::HighEntropy, &open), 4_000);
    // a UUID has 36 characters: where it fits, it is sent
    let most = |most| rule(move |rule| rule.most = Some(most));
    let fresh = |rule: &KeyRule| made(KeyShape::Fresh, rule).key.unwrap();
    assert!(fresh(&most(36)).contains('-'));
    assert_eq!(fresh(&most(35)).len(), 35);
    let digits = |most| {
        fresh(&rule(move |rule| {
            (rule.format, rule.most) = (KeyFormat::Digits, most)
        }))
    };
    for (most, length) in [(None, 18), (Some(12), 12)] {
        let key = digits(most);
        assert!(
            key.len() == length && key.bytes().all(|b| b.is_ascii_digit()),
            "{key}"
        );
    }
    let v7 = fresh(&rule(|rule| rule.format = KeyFormat::UuidV7));
    assert_eq!(v7.parse::<uuid::Uuid>().unwrap().get_version_num(), 7);
    let hex = fresh(&rule(|rule| rule.format = KeyFormat::Hex32));
    assert!(
        hex.len() == 32 && hex.bytes().all(|b| b.is_ascii_hexdigit()),
        "{hex}"
    );
}

#[test]
fn a_key_that_should_break_an_index_does_not_repeat_itself() {
    let key = made(KeyShape::HighEntropy, &rule(|_| {})).key.unwrap();
    let pieces: std::collections::BTreeSet<&str> =
        (0..key.len() - 6).map(|n| &key[n..n + 6]).collect();
    assert!(pieces.len() > 3_900, "{} of {}", pieces.len(), key.len());
}

#[test]
fn a_near_key_differs_in_its_last_character_whatever_that_is() {
    let near = |key: &str| {
        let (mut k, _) = two(KeyShape::Fresh, &rule(|_| {}));
        k.key = Some(key.into());
        let others = BTreeMap::from([("k".to_owned(), k)]);
        let shape = KeyShape::PrefixOf("k".into());
        let mut fresh = Counted::default();
        let made = intent::make("j", &shape, &others, &rule(|_| {}), "run1", &mut fresh);
        made.map(|intent| intent.key.unwrap())
    };
    assert_eq!(near("key-0").as_deref(), Ok("key-1"));
    assert_eq!(near("key-1").as_deref(), Ok("key-0"));
    assert_eq!(near("key-x").as_deref(), Ok("key-0"));
    assert!(near("").unwrap_err().contains("empty"));
}
