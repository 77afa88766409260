//! Drills that wait for the end of the run: they begin early, go on late, and never later than what is promised allows.
//! Must not know how a key is judged then.

use std::time::{Duration, Instant};

use super::harness::{Story, Trial, drill, payment, target};
use super::server::{Server, json};
use doubletap::config::suite::Drill;
use doubletap::config::target::Target;
use doubletap::contract::Length;

const RESTS: &str = "[[step]]\nsend = { as = \"first\", key = \"k\" }\n[[step]]\nwait = { until = \"end-of-run\" }\n\
                     [[step]]\nretry = { as = \"late\", key = \"k\" }\n[[step]]\ncount = { as = \"effects\" }\n";

/// The drill that rests, called so that another one of the harness may stand beside it.
fn rests() -> Drill {
    let mut rests = drill(RESTS, false);
    rests.id = "mine.rests".to_owned();
    rests
}

/// Rounds of one request each, with a pause after it.
fn others(pause_ms: u64, rounds: bool) -> Drill {
    drill(
        &format!(
            "[[step]]\nsend = {{ as = \"other\", key = \"j\" }}\n[[step]]\nwait = {{ for = \"{pause_ms}ms\" }}\n"
        ),
        rounds,
    )
}

fn paying() -> Server {
    Server::start(|_, n| json(201, "", &format!("{{\"id\":\"p{n}\"}}")))
}

fn promising(server: &Server, at_least: Option<Length>) -> Target {
    let mut target = target(server.url("/").as_str(), vec![payment()]);
    for contract in target.contracts.values_mut() {
        contract.retention.value.at_least = at_least;
    }
    target
}

/// The step names in the order sent.
fn order(story: &Story) -> Vec<String> {
    story.pick(|event| match event {
        doubletap::journal::event::Event::Attempt(sent)
            if !sent.instance.starts_with("preflight") =>
        {
            Some(sent.step.clone())
        }
        _ => None,
    })
}

fn age_us(story: &Story) -> u64 {
    let first = &story.attempts("first")[0];
    story.attempts("late")[0].0.at_us - first.1.end_us
}

#[test]
fn its_first_request_comes_before_the_other_drills_and_its_repeat_after_them() {
    let server = paying();
    let target = promising(&server, Some(Length::seconds(3600)));
    let story = Trial::new(&target).run_all(&[others(20, false), rests()]);
    assert_eq!(order(&story), ["first", "other", "late"]);
    let (first, late) = (&story.attempts("first")[0].0, &story.attempts("late")[0].0);
    assert_eq!(first.key, late.key);
    assert_eq!(first.body.text, late.body.text);
    let ended: Vec<_> = story.pick(|event| match event {
        doubletap::journal::event::Event::InstanceEnd(ended) => {
            Some((ended.instance.clone(), ended.broken.clone()))
        }
        _ => None,
    });
    assert_eq!(ended.len(), 2, "both ended once: {ended:?}");
    assert!(
        ended.iter().all(|(_, broken)| broken.is_none()),
        "{ended:?}"
    );
}

#[test]
fn a_run_that_is_over_too_soon_waits_until_its_keys_are_as_old_as_is_asked() {
    let server = paying();
    for (promised, shortest) in [(Some(Length::seconds(3600)), 700), (None, 700)] {
        let target = promising(&server, promised);
        let mut trial = Trial::new(&target);
        trial.key_age = Duration::from_millis(700);
        let began = Instant::now();
        let story = trial.run(&rests());
        assert!(
            age_us(&story) + 50_000 >= shortest * 1000,
            "{}",
            age_us(&story)
        );
        assert!(began.elapsed() < Duration::from_secs(5));
    }
}

#[test]
fn a_repeat_leaves_within_the_promise_also_between_the_rounds_of_another_drill() {
    let server = paying();
    // 60 % of it are 6 s: too long to wait for at once, and over in the midst of the other drill
    let target = promising(&server, Some(Length::seconds(10)));
    let mut trial = Trial::new(&target);
    trial.rounds = 8;
    let story = trial.run_all(&[others(1000, true), rests()]);
    let order = order(&story);
    let late = order.iter().position(|step| step == "late").unwrap();
    assert!(late > 3 && late < order.len() - 1, "{order:?}");
    assert!(age_us(&story) < 10_000_000, "{}", age_us(&story));
}

#[test]
fn a_short_promise_is_waited_for_at_once() {
    let server = paying();
    let target = promising(&server, Some(Length::millis(500)));
    let story = Trial::new(&target).run_all(&[others(20, false), rests()]);
    assert_eq!(order(&story), ["first", "late", "other"]);
    let age = age_us(&story);
    assert!((250_000..500_000).contains(&age), "{age}");
}
