//! The name that somebody probably meant.
//! It must not know what the names stand for.

/// The known name that is most like `wanted`, if any is like it at all.
pub fn nearest<'a>(
    wanted: &str,
    known: impl IntoIterator<Item = impl Into<&'a str>>,
) -> Option<&'a str> {
    let wanted = wanted.to_lowercase().replace('_', "-");
    let scored = known.into_iter().map(|name| {
        let name: &'a str = name.into();
        let folded = name.to_lowercase().replace('_', "-");
        let mut score = strsim::damerau_levenshtein(&wanted, &folded);
        // an abbreviation or a plural is a likelier slip than as many wrong letters
        if folded.len() > 2
            && wanted.len() > 2
            && (folded.starts_with(&wanted) || wanted.starts_with(&folded))
        {
            score = score.min(1);
        }
        (score, name)
    });
    let (score, name) = scored.min()?;
    (score <= 1.max(wanted.chars().count() / 3)).then_some(name)
}

/// Names as a sentence lists them: `a, b, c`.
pub fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_finds_the_name_that_was_meant_and_nonsense_finds_none() {
        let known = ["payment", "refund", "members-reordered"];
        assert_eq!(nearest("paymnet", known), Some("payment"));
        assert_eq!(nearest("Payments", known), Some("payment"));
        assert_eq!(
            nearest("members_reordered", known),
            Some("members-reordered")
        );
        assert_eq!(nearest("zebra", known), None);
    }
}
