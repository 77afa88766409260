//! The list of faults against these tests: no fault without a story that shows it.

use doubletap::sandbox::faults;

#[test]
fn every_fault_has_a_story() {
    let stories = [
        include_str!("claims.rs"),
        include_str!("effects.rs"),
        include_str!("fingerprints.rs"),
        include_str!("keys.rs"),
        include_str!("methods.rs"),
        include_str!("replays.rs"),
        include_str!("retention.rs"),
        include_str!("scopes.rs"),
        include_str!("storing.rs"),
    ]
    .concat();
    for fault in faults::all() {
        let (alone, with_value) = (format!("\"{}\"", fault.name), format!("\"{}=", fault.name));
        assert!(
            stories.contains(&alone) || stories.contains(&with_value),
            "nothing shows what `{}` does",
            fault.name
        );
    }
}

#[test]
fn every_fault_has_a_file_of_its_name() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/sandbox/faults");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "mod.rs")
        .collect();
    files.sort();
    let mut expected: Vec<String> = faults::all()
        .iter()
        .map(|fault| format!("{}.rs", fault.name.replace('-', "_")))
        .collect();
    expected.sort();
    assert_eq!(files, expected);
}
