//! The drills and policies that are part of the program.
//! It must not know what they say: it hands out texts under their names.

include!(concat!(env!("OUT_DIR"), "/bundled.rs"));

/// The order in which suites run and are listed.
const SUITE_ORDER: [&str; 12] = [
    "drill",
    "control",
    "replay",
    "races",
    "scope",
    "fingerprint",
    "syntax",
    "storage",
    "retention",
    "recovery",
    "methods",
    "replicas",
];

/// The order of the drills that tell the documented story.
const STORY: [&str; 8] = [
    "control",
    "replay",
    "concurrent",
    "mismatch",
    "other-account",
    "within-retention",
    "after-retention",
    "in-progress",
];

/// All bundled drills as (name such as `suites/drill/replay.toml`, text): suites in order, the story in its own order.
#[must_use]
pub fn drills() -> Vec<(&'static str, &'static str)> {
    let mut drills = SUITES.to_vec();
    drills.sort_by_key(|(name, _)| rank(name));
    drills
}

fn rank(name: &str) -> (usize, usize, String) {
    let mut parts = name.trim_start_matches("suites/").split('/');
    let suite = parts.next().unwrap_or_default();
    let drill = parts.next().unwrap_or_default().trim_end_matches(".toml");
    let at = |list: &[&str], name: &str| {
        list.iter()
            .position(|other| *other == name)
            .unwrap_or(list.len())
    };
    let within = if suite == "drill" {
        at(&STORY, drill)
    } else {
        0
    };
    (at(&SUITE_ORDER, suite), within, name.to_owned())
}

/// The names of the bundled suites, in order.
#[must_use]
pub fn suites() -> Vec<&'static str> {
    let mut suites = Vec::new();
    for (name, _) in drills() {
        let suite = name
            .trim_start_matches("suites/")
            .split('/')
            .next()
            .unwrap_or_default();
        if !suites.contains(&suite) {
            suites.push(suite);
        }
    }
    suites
}

/// All bundled policies as (name such as `policies/ietf.toml`, text).
#[must_use]
pub fn policies() -> &'static [(&'static str, &'static str)] {
    POLICIES
}

/// The ready-made targets of providers as (name such as `stripe`, text).
#[must_use]
pub fn providers() -> Vec<(&'static str, &'static str)> {
    let name = |file: &'static str| {
        file.trim_start_matches("providers/")
            .trim_end_matches(".toml")
    };
    PROVIDERS
        .iter()
        .map(|(file, text)| (name(file), *text))
        .collect()
}

/// A bundled policy by its id.
#[must_use]
pub fn policy(id: &str) -> Option<(&'static str, &'static str)> {
    POLICIES
        .iter()
        .find(|(name, _)| {
            name.trim_start_matches("policies/")
                .trim_end_matches(".toml")
                == id
        })
        .copied()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_story_is_told_in_its_order() {
        let drills: Vec<&str> = super::drills().iter().map(|(name, _)| *name).collect();
        let replay = drills
            .iter()
            .position(|name| *name == "suites/drill/replay.toml")
            .unwrap();
        let last = drills
            .iter()
            .position(|name| *name == "suites/drill/in-progress.toml")
            .unwrap();
        assert!(
            drills[0] == "suites/drill/control.toml" && replay == 1 && last == 7,
            "{drills:?}"
        );
    }
}
