//! From the merged target file to the target: the shared part of all resolutions, and the order of them.
//! It must not know where the file or the flags come from.

use super::diagnostic::Diagnostic;
use super::nearest::{list, nearest};
use super::places::Places;
use super::target::Account;
use super::target_file::TargetFile;

/// Resolves a merged file.
pub struct Resolver<'a> {
    /// The file with the flags laid over it.
    pub file: &'a TargetFile,
    /// Where everything was written.
    pub places: &'a Places<'a>,
    /// What is wrong.
    pub wrong: Vec<Diagnostic>,
    /// What is odd.
    pub warnings: Vec<String>,
}

/// Placeholders that every request can have.
const PLACEHOLDERS: [&str; 7] = ["ref", "uuid", "n", "key", "wire_key", "run", "account"];

impl Resolver<'_> {
    /// Notes what is wrong.
    pub fn wrong(&mut self, error: Diagnostic) {
        self.wrong.push(error);
    }

    /// Notes that a name is not known, with the nearest one.
    pub fn unknown(&mut self, path: &[&str], part: &str, what: &str, known: &[&str]) {
        let error = self
            .places
            .error_within(path, part, format!("there is no {what} `{part}`"));
        let label = nearest(part, known.iter().copied())
            .map_or(String::new(), |near| format!("did you mean `{near}`?"));
        let help = if known.is_empty() {
            format!("no {what} is declared")
        } else {
            format!("known: {}", list(known.iter().copied()))
        };
        self.wrong(error.label(label).help(help));
    }

    /// Checks the placeholders of a text. `filled` are those that set-ups fill.
    pub fn placeholders(
        &mut self,
        path: &[&str],
        text: &str,
        accounts: &[Account],
        filled: &[&str],
    ) {
        for name in placeholder_names(text) {
            if let Some(value) = name.strip_prefix("account.") {
                let without = accounts
                    .iter()
                    .find(|account| !account.values.contains_key(value));
                if let Some(account) = without {
                    let title = format!("the account `{}` has no value `{value}`", account.name);
                    let error = self.places.error_within(path, &name, title);
                    let known: Vec<&str> = account.values.keys().map(String::as_str).collect();
                    let label = nearest(value, known).map_or(String::new(), |near| {
                        format!("did you mean `account.{near}`?")
                    });
                    self.wrong(error.label(label).help(format!(
                        "add it: [account.{}] values = {{ {value} = \"...\" }}",
                        account.name
                    )));
                }
            } else if name == "account_id" {
                if let Some(account) = accounts.iter().find(|account| account.id.is_none()) {
                    let error = self.places.error_within(
                        path,
                        &name,
                        format!("the account `{}` has no id", account.name),
                    );
                    self.wrong(
                        error.help(format!("add it: [account.{}] id = \"...\"", account.name)),
                    );
                }
            } else if !PLACEHOLDERS.contains(&name.as_str()) && !filled.contains(&name.as_str()) {
                let known: Vec<&str> = PLACEHOLDERS
                    .into_iter()
                    .chain(["account_id"])
                    .chain(filled.iter().copied())
                    .collect();
                let error = self.places.error_within(
                    path,
                    &name,
                    format!("nothing fills `{{{{{name}}}}}`"),
                );
                let label = nearest(&name, known.iter().copied())
                    .map_or(String::new(), |near| format!("did you mean `{near}`?"));
                let help = format!(
                    "placeholders are {} and account.NAME; a set-up's result is declared by needs = {{ {name} = \"OPERATION\" }}",
                    list(known)
                );
                self.wrong(error.label(label).help(help));
            }
        }
    }

    /// Checks headers: their names, their values, and those that are not for the user to set.
    pub fn headers(&mut self, path: &[&str], headers: &[(String, String)]) {
        for (name, value) in headers {
            let at = [path, &[name]].concat();
            let is_token = !name.is_empty()
                && name
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b));
            if !is_token {
                let error = self
                    .places
                    .error_at_name(&at, format!("`{name}` is no header's name"));
                self.wrong(error.help("names are letters, digits and dashes, such as X-Env"));
            }
            if value.chars().any(|c| c.is_control() && c != '\t') {
                let error = self.places.error(
                    &at,
                    format!("the value of `{name}` holds a line end or another control character"),
                );
                self.wrong(error.help("look at the variable that it comes from: often a file's last line end is in it"));
            }
            if [
                "content-length",
                "transfer-encoding",
                "connection",
                "expect",
            ]
            .contains(&name.to_ascii_lowercase().as_str())
            {
                let error = self
                    .places
                    .error_at_name(&at, format!("`{name}` is set by the tool itself"));
                self.wrong(error.help("take it away"));
            }
        }
    }
}

/// The names between `{{` and `}}`.
pub fn placeholder_names(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("{{") {
        // `{{{` opens an object before the placeholder
        let after = rest[at + 2..].trim_start_matches('{');
        let Some((name, tail)) = after.split_once("}}") else {
            break;
        };
        let name = name.trim();
        if !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c))
        {
            names.push(name.to_owned());
            rest = tail;
        } else {
            rest = &rest[at + 2..];
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::placeholder_names;

    #[test]
    fn placeholders_are_found_between_braces_that_belong_to_json() {
        assert_eq!(
            placeholder_names("/p/{{payment}}/x?{{ n }}"),
            ["payment", "n"]
        );
        assert_eq!(placeholder_names("{\"a\":{\"b\":{}},\"c\":{{n}}}"), ["n"]);
        assert!(placeholder_names("{{").is_empty());
    }
}
