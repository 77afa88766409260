//! Stories of whole plans: which drills are planned for which operation, what they rest on, how many requests that makes.
//! They must not send anything.

use super::*;

#[test]
fn the_control_of_every_operation_that_is_sent_to_is_planned() {
    let target = target(SHOP);
    let ids = |wanted: &str| -> Vec<String> {
        let plan = planned(&target, &|instance| instance.id == wanted);
        plan.instances
            .into_iter()
            .map(|instance| instance.id)
            .collect()
    };
    assert_eq!(
        ids("drill.replay@payment"),
        ["drill.control@payment", "drill.replay@payment"]
    );
    assert_eq!(
        ids("scope.other-route@payment"),
        [
            "drill.control@payment",
            "scope.other-route@payment",
            "drill.control@refund"
        ]
    );
    assert!(ids("drill.nonsense@payment").is_empty());
}

#[test]
fn the_estimate_counts_copies_rounds_set_ups_and_reads() {
    let target = target(SHOP);
    let requests = |id: &str| planned(&target, &|instance| instance.id == id).requests;
    let control = requests("drill.control@payment");
    // five rounds of ten copies, one later repeat and one count each, and as many again for rounds out of step
    assert_eq!(
        requests("drill.concurrent@payment") - control,
        2 * 5 * (10 + 1 + 1)
    );
    assert_eq!(
        requests("drill.other-account/a-first@payment"),
        control,
        "what is skipped sends nothing"
    );
}

fn drill(text: &str) -> Drill {
    let head = "id = \"mine.drill\"\ntitle = \"t\"\nwhy = \"w\"\nhint = \"h\"\ncheck = []\n";
    toml::from_str(&format!("{head}{text}")).unwrap()
}

const RACES: Races = Races {
    copies: 10,
    rounds: 5,
    max_copies: Some(8),
};

#[test]
fn a_drill_is_planned_for_the_methods_that_it_is_for() {
    let drills_of = |method: &str| {
        let target = target(&SHOP.replacen("\"POST /shops", &format!("\"{method} /shops"), 1));
        let plan = planned(&target, &|i| i.operation == "payment");
        let mut ids: Vec<String> = plan.instances.into_iter().map(|i| i.drill.id).collect();
        ids.dedup();
        ids
    };
    let by_nature = [
        "drill.control",
        "methods.idempotent",
        "methods.other-body",
        "methods.other-resource",
    ];
    assert_eq!(drills_of("PUT"), by_nature);
    let (post, patch) = (drills_of("POST"), drills_of("PATCH"));
    assert!(post.iter().any(|id| id == "drill.replay"), "{post:?}");
    assert!(
        post.iter()
            .all(|id| id != "methods.idempotent" && id != "methods.stale-if-match")
    );
    let further: Vec<&String> = patch.iter().filter(|id| !post.contains(id)).collect();
    assert_eq!(further, ["methods.stale-if-match"]);
    assert!(post.iter().all(|id| patch.contains(id)));
}

#[test]
fn a_case_replaces_what_it_names_and_only_that() {
    let drill = drill(
        r#"
rounds = true
step = [{ send = { as = "one", key = "k", body = "base" } }, { send = { as = "two", key = "k", body = "base" } }]
[[case]]
id = "all"
with.one = { operation = "payment", account = "b", key = "j", form = "sf-string", body = "changed", written = "whitespace", vary = "query", cut = "mid-reply" }
[[case]]
id = "none"
keys.k = "empty"
"#,
    );
    let text = format!("{SHOP}[account.b]\nvalues = {{ shop = \"s2\" }}\n");
    let plan = plan(&target(&text), &[drill], RACES, "run1", &|i| {
        i.operation == "payment"
    });
    let [all, none] = &plan.instances[..] else {
        panic!("{:?}", plan.instances)
    };
    assert_eq!(
        (all.id.as_str(), all.case.as_deref()),
        ("mine.drill/all@payment", Some("all"))
    );
    assert_eq!((all.rounds, all.drill.case.len()), (5, 0));
    let sent = |instance: &Instance, step: usize| {
        crate::plan::requests_of(&instance.drill.step[step])[0].clone()
    };
    let mut changed = sent(none, 0);
    changed.operation = Some("payment".into());
    changed.account = Some("b".into());
    changed.key = Some("j".into());
    changed.form = Some(crate::contract::WireForm::SfString);
    changed.body = Some("changed".into());
    changed.written = Some(Written::Whitespace);
    changed.vary = Some(Vary::Query);
    changed.cut = Some(crate::config::suite::Cut::MidReply);
    assert_eq!(sent(all, 0), changed);
    assert_eq!(sent(all, 1), sent(none, 1));
    assert_eq!(none.drill.keys.get("k"), Some(&KeyShape::Empty));
    let replay = instance(&target(SHOP), "drill.replay@payment");
    assert_eq!((replay.case, replay.rounds), (None, 1));
}

#[test]
fn no_burst_has_more_copies_than_the_cap() {
    let burst = |copies: &str| {
        let text = format!(
            "step = [{{ burst = {{ send = [{{ as = \"one\", key = \"k\" }}]{copies} }} }}]"
        );
        let plan = plan(&target(SHOP), &[drill(&text)], RACES, "run1", &|i| {
            i.operation == "payment"
        });
        plan.requests
    };
    // as many again for a round out of step
    assert_eq!(burst(""), 2 * 8, "--copies says ten");
    assert_eq!(burst(", copies = 100"), 2 * 8);
    assert_eq!(burst(", copies = 3"), 2 * 3);
}

#[test]
fn what_only_sets_up_others_is_the_last_choice_and_never_under_test() {
    let order = "[operation.order]\nrequest = \"POST /orders\"\nsetup-only = true\n";
    let first = SHOP.replacen(
        "[operation.payment]",
        &format!("{order}[operation.payment]"),
        1,
    );
    let target = super::target(&first);
    let every = planned(&target, &|_| true);
    assert!(every.instances.iter().all(|i| i.operation != "order"));
    let other = |target: &Target| {
        let instance = instance(target, "scope.other-route@payment");
        instance.other_operation
    };
    assert_eq!(other(&target).as_deref(), Some("refund"));
    let (alone, _) = first.split_once("[operation.refund]").unwrap();
    assert_eq!(other(&super::target(alone)).as_deref(), Some("order"));
    // what is sent there rests on its control
    let ids: Vec<String> = planned(&target, &|i| i.id == "scope.other-route@refund")
        .instances
        .into_iter()
        .map(|i| i.id)
        .collect();
    assert_eq!(
        ids,
        [
            "drill.control@payment",
            "drill.control@refund",
            "scope.other-route@refund"
        ]
    );
}

#[test]
fn the_estimate_names_set_ups_tokens_and_no_reads_that_are_not_made() {
    let target = target(SHOP);
    let extra = |id: &str, operation: &str| {
        let of = |id: &str| planned(&target, &|i| i.id == id).requests;
        of(id) - of(&format!("drill.control@{operation}"))
    };
    // three requests and two GETs that count
    assert_eq!(extra("drill.replay@payment", "payment"), 3 + 2);
    // three requests and the payment that is refunded, one for each key; nothing is counted
    assert_eq!(extra("drill.replay@refund", "refund"), 3 + 1);
    assert_eq!(extra("syntax.near-keys/case@refund", "refund"), 2 + 2);
    let token = "[account.b]\nvalues = { shop = \"s2\" }\noauth = { token-url = \"http://127.0.0.1:9/t\", client-id = \"c\", client-secret = \"s\" }\n[operation.payment]";
    let both = super::target(&SHOP.replacen("[operation.payment]", token, 1));
    let requests = |target: &Target| planned(target, &|i| i.id == "drill.replay@refund").requests;
    // the control of the second account, its payment, and its token
    assert_eq!(requests(&both) - requests(&target), 1 + 1 + 1);
    let races = instance(&target, "drill.concurrent@payment");
    assert_eq!(
        crate::plan::requests_of_a_round(&target, &races),
        2 * (10 + 1 + 1)
    );
}

#[test]
fn a_drill_is_asked_for_by_its_name_its_case_and_its_operation() {
    let target = target(SHOP);
    let near = instance(&target, "syntax.near-keys/case@payment");
    for (wanted, is_meant) in [
        ("syntax.near-keys", true),
        ("syntax.near-keys/case", true),
        ("syntax.near-keys@payment", true),
        ("syntax.near-keys/case@payment", true),
        ("syntax.near-keys/prefix", false),
        ("syntax.near-keys@refund", false),
        ("syntax.near-keys/prefix@payment", false),
        ("syntax.near", false),
    ] {
        assert_eq!(
            crate::plan::select::matches(&near, wanted),
            is_meant,
            "{wanted}"
        );
    }
    let known = [
        "drill.replay",
        "drill.replay",
        "drill.mismatch",
        "drill.control",
        "drill.repeat",
        "drill.concurrent",
        "races.mixed-bodies",
    ];
    let near = |wanted: &str| crate::plan::select::nearest(wanted, known);
    assert_eq!(near("drill.repaly")[0], "drill.replay");
    assert_eq!(near("drill.repaly").len(), 3, "each once, at most three");
    assert!(near("xyz").is_empty());
}

#[test]
fn what_is_sent_elsewhere_alone_rests_on_both_controls() {
    let elsewhere = drill(r#"step = [{ send = { as = "one", operation = "other", key = "k" } }]"#);
    let mut all = drills();
    all.push(elsewhere);
    let wanted = |instance: &Instance| instance.id == "mine.drill@payment";
    let plan = plan(&target(SHOP), &all, RACES, "run1", &wanted);
    let ids: Vec<String> = plan.instances.into_iter().map(|i| i.id).collect();
    assert_eq!(
        ids,
        [
            "drill.control@payment",
            "mine.drill@payment",
            "drill.control@refund"
        ]
    );
}
