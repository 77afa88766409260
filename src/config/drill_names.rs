//! Names in a drill: keys, cases and checks lead to requests and counts that are there.
//! It must not know what steps do, nor how checks are judged.

use super::drill::{Reading, texts};
use super::suite::{Check, KeyShape, Step};

impl Reading<'_> {
    /// Every key that a step, a shape or a case names is one that a request sends.
    pub fn keys(&mut self) {
        let requests = self.requests();
        let mut sent: Vec<&str> = requests
            .iter()
            .filter_map(|(_, fields)| fields.key.as_deref())
            .collect();
        sent.extend(
            self.drill
                .case
                .iter()
                .flat_map(|case| case.with.values())
                .filter_map(|fields| fields.key.as_deref()),
        );
        sent.sort_unstable();
        sent.dedup();
        for (n, step) in self.drill.step.iter().enumerate() {
            let path = |names: &[&str]| texts(&[&["step", &n.to_string()], names].concat());
            match step {
                Step::Count(count) => {
                    for (m, key) in count.keys.iter().enumerate() {
                        if !sent.contains(&key.as_str()) {
                            self.unknown(
                                &path(&["count", "keys", &m.to_string()]),
                                "key",
                                key,
                                &sent,
                            );
                        }
                    }
                }
                Step::Expire(expire) if !sent.contains(&expire.key.as_str()) => {
                    self.unknown(&path(&["expire", "key"]), "key", &expire.key, &sent);
                }
                _ => {}
            }
        }
        let drill = self.drill;
        let shared = drill
            .keys
            .iter()
            .map(|(name, shape)| (texts(&["keys", name]), name, shape));
        let own = drill.case.iter().enumerate().flat_map(|(n, case)| {
            case.keys.iter().map(move |(name, shape)| {
                (texts(&["case", &n.to_string(), "keys", name]), name, shape)
            })
        });
        for (path, name, shape) in shared.chain(own).collect::<Vec<_>>() {
            if !sent.contains(&name.as_str()) {
                self.unknown(&path, "key", name, &sent);
            }
            if let Some(other) = derived_from(shape) {
                if other == name {
                    let error = self.at(&path, format!("the key `{name}` is derived from itself"));
                    self.wrong.push(error.help("name another key"));
                } else if !sent.contains(&other) {
                    self.unknown(&path, "key", other, &sent);
                }
            }
        }
    }

    /// Cases have names of their own, and change requests that are there.
    pub fn cases(&mut self) {
        let known = self.request_names();
        for (n, case) in self.drill.case.iter().enumerate() {
            let number = n.to_string();
            let is_id = !case.id.is_empty()
                && case
                    .id
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "-.".contains(c));
            if !is_id {
                let error = self.at(
                    &texts(&["case", &number, "id"]),
                    format!("`{}` is no case's id", case.id),
                );
                self.wrong.push(
                    error.help("letters, digits and dashes: it stands in drill/case@operation"),
                );
            }
            if self.drill.case[..n].iter().any(|other| other.id == case.id) {
                let error = self.at(
                    &texts(&["case", &number, "id"]),
                    format!("the case `{}` is there twice", case.id),
                );
                self.wrong
                    .push(error.help("ids tell cases apart; rename one"));
            }
            for step in case.with.keys() {
                if !known.contains(&step.as_str()) {
                    self.unknown(
                        &texts(&["case", &number, "with", step]),
                        "request",
                        step,
                        &known,
                    );
                }
            }
        }
    }

    /// Checks name requests and counts that are there, and all that their situation needs.
    pub fn checks(&mut self) {
        let (requests, counts) = (self.request_names(), self.counts());
        for (n, check) in self.drill.check.iter().enumerate() {
            let situation = check.situation();
            let steps = check.steps();
            let path =
                |names: &[&str]| texts(&[&["check", &n.to_string(), situation], names].concat());
            let singles = [
                ("first", &steps.first),
                ("second", &steps.second),
                ("lost", &steps.lost),
                ("retry", &steps.retry),
                ("probe", &steps.probe),
            ];
            for (field, name) in singles {
                if let Some(name) = name
                    && !requests.contains(&name.as_str())
                {
                    self.unknown(&path(&[field]), "request", name, &requests);
                }
            }
            for ((one, first), (other, second)) in [
                (("first", &steps.first), ("second", &steps.second)),
                (("lost", &steps.lost), ("retry", &steps.retry)),
            ] {
                let once =
                    |name: &str| requests.iter().filter(|known| **known == name).count() == 1;
                if let Some(name) = first
                    && first == second
                    && once(name)
                {
                    let error = self
                        .at(
                            &path(&[other]),
                            format!("`{one}` and `{other}` both are `{name}`"),
                        )
                        .label("the same request");
                    self.wrong
                        .push(error.help(
                            "a request compared with itself always agrees; name another one",
                        ));
                }
            }
            for (field, name) in [("before", &steps.before), ("counted", &steps.counted)] {
                if let Some(name) = name
                    && !counts.contains(&name.as_str())
                {
                    self.unknown(&path(&[field]), "count", name, &counts);
                }
            }
            for (field, names) in [
                ("of", &steps.of),
                ("later", &steps.later),
                ("between", &steps.between),
            ] {
                for (m, name) in names.iter().enumerate() {
                    if !requests.contains(&name.as_str()) {
                        self.unknown(&path(&[field, &m.to_string()]), "request", name, &requests);
                    }
                }
            }
            for needed in needed(check) {
                let given = match *needed {
                    "first" => steps.first.is_some(),
                    "second" => steps.second.is_some(),
                    "lost" => steps.lost.is_some(),
                    "retry" => steps.retry.is_some(),
                    "of" => !steps.of.is_empty(),
                    _ => steps.between.len() >= 2,
                };
                if !given {
                    let error = self.at(&path(&[]), format!("`{situation}` needs `{needed}`"));
                    self.wrong
                        .push(error.help("suites/README.md says which steps a situation needs"));
                }
            }
        }
    }
}

/// The steps without which a situation cannot be judged.
fn needed(check: &Check) -> &'static [&'static str] {
    match check {
        Check::Concurrent(_) => &["of"],
        Check::NothingLeaks(_) => &["between"],
        Check::Recovered(_) => &["lost", "retry"],
        Check::Preflight(_) => &["first"],
        Check::KeyedMethod(_) => &["second"],
        _ => &["first", "second"],
    }
}

/// The intent that a shape is derived from.
fn derived_from(shape: &KeyShape) -> Option<&str> {
    match shape {
        KeyShape::SameAs(other)
        | KeyShape::SameReferenceAs(other)
        | KeyShape::UpperOf(other)
        | KeyShape::PrefixOf(other)
        | KeyShape::OtherFormOf(other)
        | KeyShape::TwoLinesOf(other) => Some(other),
        _ => None,
    }
}
