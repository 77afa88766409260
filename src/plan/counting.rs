//! What a counter tells apart: keys, the tool's references, both; read from what it asks with.
//! It must not know how it is asked, nor what it answers.

use super::sql::{self, Parameter};
use super::template;
use crate::config::target::{Counter, Operation};

/// What a counter tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Apart {
    /// Keys.
    pub by_key: bool,
    /// References.
    pub by_reference: bool,
}

/// What a counter tells apart.
#[must_use]
pub fn apart(counter: &Counter) -> Apart {
    match counter {
        Counter::Sql { sql } => {
            let parameters = sql::bind(sql).parameters;
            let has = |wanted: Parameter| parameters.contains(&wanted);
            Apart {
                by_key: has(Parameter::Key) || has(Parameter::WireKey),
                by_reference: has(Parameter::Reference),
            }
        }
        Counter::Get {
            path,
            headers,
            matching,
            ..
        } => {
            let mut texts: Vec<&str> = vec![path];
            texts.extend(headers.iter().map(|(_, value)| value.as_str()));
            texts.extend(matching.as_ref().map(|(_, text)| text.as_str()));
            let has = |wanted: &[&str]| {
                let mut names = texts.iter().flat_map(|text| template::names(text));
                names.any(|name| wanted.contains(&name.as_str()))
            };
            Apart {
                by_key: has(&["key", "wire_key"]),
                // all three are fixed with the intent's reference
                by_reference: has(&["ref", "uuid", "n"]),
            }
        }
        Counter::Command(command) => {
            let names = |name: &str| command.argv.iter().any(|word| word.contains(name));
            // a script that names none of them in its command line may read them all
            let opaque = !names("DOUBLETAP_");
            Apart {
                by_key: opaque || names("DOUBLETAP_KEY"),
                by_reference: opaque || names("DOUBLETAP_REF"),
            }
        }
        Counter::Sink { .. } => Apart {
            by_key: false,
            by_reference: true,
        },
    }
}

/// What is said where it could not be shown; the judge finds the step that was left out by it.
pub const UNSEEN: &str = "never seen to say more than one effect";

/// Why it cannot be shown that the counter says two where there are two; `None` where it can be tried: two requests under two keys
/// with one reference are two effects.
#[must_use]
pub fn why_not_two(operation: &Operation) -> Option<String> {
    let counter = operation.count.as_ref()?;
    if operation.unique_reference == Some(true) {
        return Some(format!(
            "the service takes a reference once (unique-reference): the counter was {UNSEEN}"
        ));
    }
    if matches!(operation.method.as_str(), "PUT" | "DELETE") {
        return Some(format!(
            "a {} done twice is one effect: the counter was {UNSEEN}",
            operation.method
        ));
    }
    let apart = apart(counter);
    // a script that may read both is asked: if it goes by the key, that shows
    let is_opaque = matches!(counter, Counter::Command(_)) && apart.by_key && apart.by_reference;
    if !apart.by_key || is_opaque {
        return None;
    }
    Some(format!(
        "the counter asks by the key, and no service that is right does more than one thing under a key: it was {UNSEEN}, and one \
         that ends at one (DISTINCT, EXISTS, LIMIT 1, a list of one) would hide the second; counting by a reference in the body \
         (:ref, {{{{ref}}}}) could be tried"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::target::CommandLine;
    use crate::contract::Length;
    use crate::plan::tests::operation;

    fn counted(sql: &str) -> Operation {
        let mut operation = operation();
        operation.count = Some(Counter::Sql { sql: sql.into() });
        operation
    }

    #[test]
    fn two_effects_can_be_shown_only_to_a_counter_that_asks_by_the_reference_alone() {
        let by_reference = counted("SELECT count(*) FROM p WHERE ref = :ref");
        assert_eq!(why_not_two(&by_reference), None);
        let by_key = counted("SELECT count(*) FROM p WHERE key = :key");
        let why = why_not_two(&by_key).unwrap();
        assert!(
            why.contains("asks by the key") && why.contains(UNSEEN),
            "{why}"
        );
        assert!(why.contains("(:ref, {{ref}})"), "{why}");
        let by_both = counted("SELECT count(*) FROM p WHERE key = :key AND ref = :ref");
        assert!(why_not_two(&by_both).is_some());
        let script = Counter::Command(CommandLine {
            argv: vec!["./count.sh".into()],
            timeout: Length::seconds(5),
        });
        let opaque = Operation {
            count: Some(script),
            ..operation()
        };
        assert_eq!(why_not_two(&opaque), None, "it may read either");
    }

    #[test]
    fn a_counter_tells_apart_what_it_names_wherever_it_names_it() {
        let get = |path: &str, header: &str, is: &str| Counter::Get {
            path: path.into(),
            headers: vec![("X-Of".into(), header.into())],
            at: String::new(),
            matching: Some(("/reference".into(), is.into())),
            page: None,
        };
        let script = |argv: &[&str]| {
            Counter::Command(CommandLine {
                argv: argv.iter().map(|word| (*word).to_owned()).collect(),
                timeout: Length::seconds(5),
            })
        };
        let sql = |sql: &str| Counter::Sql { sql: sql.into() };
        let sink = Counter::Sink {
            listen: "127.0.0.1:0".into(),
            path: None,
        };
        for (counter, by_key, by_reference) in [
            (get("/p?of={{account_id}}", "{{run}}", "x"), false, false),
            (get("/p?k={{key}}", "", ""), true, false),
            (get("/p", "{{wire_key}}", ""), true, false),
            (get("/p", "", "{{ref}}"), false, true),
            (get("/p/{{uuid}}", "", ""), false, true),
            (get("/p", "{{n}}", "{{key}}"), true, true),
            (
                sql("SELECT count(*) FROM p WHERE w = :wire_key"),
                true,
                false,
            ),
            (sql("SELECT count(*) FROM p WHERE r = :ref"), false, true),
            (script(&["./count"]), true, true),
            (script(&["./count", "$DOUBLETAP_ACCOUNT"]), false, false),
            (script(&["./count", "a", "$DOUBLETAP_KEY"]), true, false),
            (script(&["./count", "$DOUBLETAP_REF", "a"]), false, true),
            (sink, false, true),
        ] {
            let found = apart(&counter);
            assert_eq!(
                (found.by_key, found.by_reference),
                (by_key, by_reference),
                "{counter:?}"
            );
            // whatever does not go by the key can be asked for two
            let mut asked = operation();
            asked.count = Some(counter);
            let is_script =
                matches!(&asked.count, Some(Counter::Command(_))) && by_key && by_reference;
            assert_eq!(
                why_not_two(&asked).is_none(),
                !by_key || is_script,
                "{:?}",
                asked.count
            );
        }
    }

    #[test]
    fn a_reference_that_is_taken_once_and_a_put_are_not_tried_twice() {
        let mut taken_once = counted("SELECT count(*) FROM p WHERE ref = :ref");
        taken_once.unique_reference = Some(true);
        assert!(
            why_not_two(&taken_once)
                .unwrap()
                .contains("unique-reference")
        );
        for method in ["PUT", "DELETE"] {
            let mut twice = counted("SELECT count(*) FROM p WHERE ref = :ref");
            twice.method = method.into();
            let why = why_not_two(&twice).unwrap();
            assert!(why.contains(&format!("a {method} done twice")), "{why}");
        }
    }
}
