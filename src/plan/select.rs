//! Which drills a user asked for: `drill.replay`, `syntax.key-shapes/empty`, `drill.replay@payment`, or a whole id.
//! It must not know which drills exist.

use super::Instance;

/// Whether an instance is meant by a `--drill` argument.
#[must_use]
pub fn matches(instance: &Instance, wanted: &str) -> bool {
    let (rest, operation) = wanted
        .split_once('@')
        .map_or((wanted, None), |(rest, operation)| (rest, Some(operation)));
    let (drill, case) = rest
        .split_once('/')
        .map_or((rest, None), |(drill, case)| (drill, Some(case)));
    drill == instance.drill.id
        && case.is_none_or(|case| instance.case.as_deref() == Some(case))
        && operation.is_none_or(|operation| operation == instance.operation)
}

/// Whether an instance is a control, which always runs.
#[must_use]
pub fn is_control(instance: &Instance) -> bool {
    instance.drill.id == "drill.control"
}

/// The names nearest to what was asked for, best first, at most three.
#[must_use]
pub fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut scored: Vec<(f64, &str)> = known
        .into_iter()
        .map(|name| (strsim::jaro_winkler(wanted, name), name))
        .filter(|(score, _)| *score > 0.7)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    scored.into_iter().take(3).map(|(_, name)| name).collect()
}
