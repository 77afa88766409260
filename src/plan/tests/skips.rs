//! Stories of what a target cannot do: what is skipped, what is left out, and the reason that is given.
//! They must not send anything.

use super::*;

#[test]
fn what_the_target_lacks_is_skipped_with_the_reason_or_left_out() {
    let target = target(SHOP);
    let skip = |id: &str| instance(&target, id).skip.unwrap_or_default();
    assert!(skip("drill.other-account/a-first@payment").contains("no account `b`"));
    assert!(skip("drill.after-retention@payment").contains("[expire]"));
    assert!(skip("storage.validation@payment").contains("bodies.invalid"));
    assert!(skip("syntax.key-shapes/blank@payment").contains("outer blanks"));
    assert!(skip("replicas.at-once@payment").contains("no further replica"));
    assert!(skip("retention.inside-window@payment").contains("how long keys are kept"));
    assert!(skip("fingerprint.written-otherwise/array-reordered@payment").contains("no array"));
    assert_eq!(skip("drill.replay@payment"), "");

    let control = instance(&target, "drill.control@payment");
    assert_eq!(
        control.skip, None,
        "a second account is not what the control is for"
    );
    assert!(
        control
            .left_out
            .iter()
            .any(|text| text.contains("second-account"))
    );
    assert!(
        control
            .drill
            .check
            .iter()
            .all(|check| check.steps().second.as_deref() != Some("second-account"))
    );
    // a refund has an empty body: nothing can be changed, and the rest of the drill stays
    let progress = instance(&target, "drill.in-progress@refund");
    assert_eq!(progress.skip, None);
    assert_eq!(progress.drill.check.len(), 2);
}

#[test]
fn a_read_carries_a_key_in_a_header_and_never_in_a_body() {
    let skip = |key: &str| {
        let key = format!("contract.key.in = {key}\n[account.a]");
        let text = SHOP.replacen("[account.a]", &key, 1);
        instance(&target(&text), "methods.get@payment").skip
    };
    assert_eq!(skip("{ header = \"X-Key\" }"), None);
    assert_eq!(skip("{ query = \"key\" }"), None);
    assert!(
        skip("{ json = \"/key\" }")
            .unwrap()
            .contains("a GET has none")
    );
}

fn with(top: &str) -> Target {
    target(&SHOP.replacen("[account.a]", &format!("{top}\n[account.a]"), 1))
}

/// A drill of these steps and checks.
fn drill(steps_and_checks: &str) -> Drill {
    let head = "id = \"mine.drill\"\ntitle = \"t\"\nwhy = \"w\"\nhint = \"h\"\n";
    toml::from_str(&format!("{head}{steps_and_checks}")).unwrap()
}

/// That drill, planned for an operation.
fn of(target: &Target, operation: &str, steps_and_checks: &str) -> Instance {
    let races = Races {
        copies: 10,
        rounds: 5,
        max_copies: None,
    };
    let drills = [drill(steps_and_checks)];
    let mut plan = plan(target, &drills, races, "run1", &|i| {
        i.operation == operation
    });
    plan.instances.remove(0)
}

#[test]
fn a_key_that_is_to_expire_needs_a_way_and_an_end_of_its_life() {
    let skip = |target: Target| instance(&target, "drill.after-retention@payment").skip;
    let ends = "contract.retention = { at-most = \"24h\" }";
    for (top, words) in [
        ("", "no way to make a key expire"),
        (
            "expire = { later = true }",
            "nobody says when a key has expired",
        ),
    ] {
        let why = skip(with(top)).unwrap();
        assert!(why.contains(words), "{why}");
    }
    assert_eq!(
        skip(with(&format!("{ends}\nexpire = {{ later = true }}"))),
        None
    );
    assert_eq!(skip(with("expire = { command = [\"./expire\"] }")), None);
}

#[test]
fn what_needs_a_command_is_skipped_where_the_target_has_none_of_that_name() {
    let steps = r#"
step = [{ hook = { run = "restart" } }, { send = { as = "one", key = "k" } }]
check = [{ replay = { first = "one", second = "one" } }]
"#;
    let hook = |name: &str| with(&format!("hook.{name} = {{ command = [\"./it\"] }}"));
    assert_eq!(of(&hook("restart"), "payment", steps).skip, None);
    let why = of(&hook("reset"), "payment", steps).skip.unwrap();
    assert!(why.contains("no command `restart` ([hook])"), "{why}");
}

#[test]
fn a_wait_is_done_within_a_minute_or_not_at_all() {
    let skip = |least: &str| {
        let target = with(&format!(
            "contract.retention = {{ at-least = \"{least}\" }}"
        ));
        instance(&target, "retention.inside-window@payment").skip
    };
    assert_eq!(skip("2s"), None);
    assert_eq!(skip("100s"), None, "60 % of it is a minute");
    let why = skip("102s").unwrap();
    assert!(why.contains("60 % of the declared retention"), "{why}");
    assert!(why.contains("too long"), "{why}");
    assert!(skip("24h").is_some());
    // what cannot be done at all is said first
    let both =
        "step = [{ hook = { run = \"x\" } }, { wait = { percent-of-retention = 60 } }]\ncheck = []";
    let why = of(&with(""), "payment", both).skip.unwrap();
    assert!(why.contains("[hook]"), "{why}");
    let named = "step = [{ wait = { for = \"2h\" } }]\ncheck = []";
    assert_eq!(
        of(&with(""), "payment", named).skip,
        None,
        "so much was asked for"
    );
}

#[test]
fn a_put_of_another_body_needs_no_get_that_shows_it() {
    // counted by SQL, so that nothing says which GET it would be
    let text = r#"
url = "http://127.0.0.1:8080"
policy = "plain"
[postgres]
url = "postgres://shop@localhost/shop"
[account.a]
[operation.note]
request = "PUT /notes/{{uuid}}"
json = { note = "paid" }
identity = "none"
count = { sql = "SELECT count(*) FROM changes WHERE id = :ref" }
"#;
    let changed = "bodies.changed = { set = { \"/note\" = \"late\" } }\n";
    let with = target(&format!("{}{changed}", text.replace("paid", "{{ref}}")));
    let note = instance(&with, "methods.other-body@note");
    assert_eq!(note.skip, None);
    assert_eq!((note.drill.step.len(), note.left_out.len()), (6, 4));
    let without = target(&text.replace("paid", "{{ref}}"));
    let why = instance(&without, "methods.other-body@note").skip.unwrap();
    assert!(why.contains("bodies.changed"), "{why}");
}

#[test]
fn only_the_steps_that_a_target_cannot_do_are_left_out() {
    // a refund has no body that could be changed
    let steps = r#"
step = [
  { overlap = { first = { as = "first", key = "k" }, during = [{ as = "same", key = "k" }, { as = "other", key = "k", body = "changed" }] } },
  { overlap = { first = { as = "odd", key = "k", body = "changed" }, during = [{ as = "beside", key = "k" }] } },
  { overlap = { first = { as = "even", key = "k" }, during = [{ as = "never", key = "k", body = "changed" }] } },
  { burst = { send = [{ as = "one", key = "k" }, { as = "two", key = "k", body = "changed" }] } },
  { burst = { send = [{ as = "three", key = "k", body = "changed" }] } },
  { send = { as = "sent", key = "k", body = "changed" } },
  { retry = { as = "tried", key = "k", body = "changed" } },
  { read = { as = "read", key = "k" } },
  { retry = { as = "last", key = "k" } },
  { count = { as = "end" } },
]
check = [
  { replay = { first = "first", second = "same", counted = "end" } },
  { mismatch = { first = "first", second = "other" } },
  { nothing-leaks = { between = ["one", "two"] } },
  { concurrent = { of = ["one"], later = ["last"] } },
  { recovered = { lost = "first", retry = "tried" } },
  { same-request = { first = "first", second = "last", probe = "sent" } },
]
"#;
    let refund = of(&target(SHOP), "refund", steps);
    assert_eq!(refund.skip, None);
    let names: Vec<Vec<&str>> = refund
        .drill
        .step
        .iter()
        .map(|step| {
            let requests = crate::plan::requests_of(step).into_iter();
            requests
                .filter_map(|request| request.name.as_deref())
                .collect()
        })
        .collect();
    assert_eq!(
        names,
        [vec!["first", "same"], vec!["one"], vec!["last"], vec![]]
    );
    let checks: Vec<&str> = refund.drill.check.iter().map(|c| c.situation()).collect();
    assert_eq!(checks, ["replay", "concurrent"]);
    assert_eq!(refund.left_out.len(), 8, "{:?}", refund.left_out);
    let why = |name: &str| {
        let line = refund
            .left_out
            .iter()
            .find(|line| line.starts_with(&format!("`{name}`")));
        line.cloned().unwrap_or_default()
    };
    assert!(why("sent").contains("bodies.changed"), "{}", why("sent"));
    assert!(why("read").contains("add  read = "), "{}", why("read"));

    // nothing of it is missing where the body can be changed
    let payment = of(&target(SHOP), "payment", steps);
    assert_eq!((payment.drill.step.len(), payment.left_out.len()), (10, 0));
}

#[test]
fn the_reason_of_a_skip_is_that_of_the_step_that_is_missing() {
    let steps = r#"
step = [{ send = { as = "b", account = "b", key = "k" } }, { send = { as = "declined", key = "k", body = "failing" } }]
check = [{ stored = { first = "declined", second = "declined" } }]
"#;
    let why = of(&target(SHOP), "payment", steps).skip.unwrap();
    assert!(why.contains("bodies.failing"), "{why}");
}

#[test]
fn another_resource_and_another_route_need_a_set_up_and_a_second_operation() {
    let target = target(SHOP);
    let why = instance(&target, "scope.other-resource@payment")
        .skip
        .unwrap();
    assert!(why.contains("no set-up (needs)"), "{why}");
    // what a set-up will fill is no obstacle, neither under test nor elsewhere
    for id in [
        "scope.other-resource@refund",
        "drill.replay@refund",
        "scope.other-route@payment",
    ] {
        assert_eq!(instance(&target, id).skip, None, "{id}");
    }
    let (alone, _) = SHOP.split_once("[operation.refund]").unwrap();
    let why = instance(&super::target(alone), "scope.other-route@payment")
        .skip
        .unwrap();
    assert!(why.contains("no second operation"), "{why}");
}

#[test]
fn a_key_in_a_body_is_no_obstacle_to_what_has_one() {
    let text = SHOP.replacen(
        "json = '{ \"amount\": 49900,  \"ref\" : \"\", \"note\":\"{{n}}\" }'\nref = \"/ref\"",
        "form = { amount = \"1\" }\nref = \"ref\"",
        1,
    );
    let text = text.replacen("\"/card\"", "\"card\"", 1);
    let text = text.replacen(
        "[account.a]",
        "contract.key.in = { form = \"key\" }\n[account.a]",
        1,
    );
    let target = target(&text);
    assert_eq!(instance(&target, "drill.replay@payment").skip, None);
    let why = instance(&target, "methods.get@payment").skip.unwrap();
    assert!(why.contains("a GET has none"), "{why}");
}

#[test]
fn two_effects_of_one_reference_are_tried_where_a_counter_can_see_them() {
    let counted = "{ get = { path = \"/payments?ref={{ref}}\", at = \"/count\" } }";
    let control = |by: &str| {
        let text = SHOP.replacen(counted, &counted.replace("{{ref}}", by), 1);
        instance(&target(&text), "drill.control@payment")
    };
    let left_out = |control: &Instance| {
        let named = control
            .left_out
            .iter()
            .find(|line| line.starts_with("`same-reference`"));
        named.cloned()
    };
    for by in ["{{ref}}", "{{uuid}}", "{{n}}"] {
        let control = control(by);
        assert_eq!(left_out(&control), None, "{by}");
        assert_eq!(control.drill.check.len(), 3, "all but the second account");
    }
    let by_key = control("{{key}}");
    let why = left_out(&by_key).unwrap();
    assert!(why.contains("asks by the key"), "{why}");
    assert_eq!((by_key.skip, by_key.drill.check.len()), (None, 2));
    let uncounted = left_out(&instance(&target(SHOP), "drill.control@refund")).unwrap();
    assert!(uncounted.contains("are not counted"), "{uncounted}");
    // other drills that share a reference do so for another reason
    let text = SHOP.replacen(counted, &counted.replace("{{ref}}", "{{key}}"), 1);
    let get = instance(&target(&text), "methods.get@payment");
    assert_eq!((get.skip, get.left_out.len()), (None, 0));
}

#[test]
fn a_request_without_a_body_has_no_content_type_to_vary() {
    let id = "fingerprint.written-otherwise/content-type-charset";
    let refund = instance(&target(SHOP), &format!("{id}@refund"));
    let why = refund.skip.unwrap();
    assert!(why.contains("no content type"), "{why}");
    assert_eq!(instance(&target(SHOP), &format!("{id}@payment")).skip, None);
}
