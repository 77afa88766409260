//! What `doubletap --help` shows: the subcommands in groups, the first steps, the exit codes.
//! It must not know what a subcommand does: its own sentence is shown.

use clap::Command;

use crate::exit;

/// Columns that fit every terminal.
const COLUMNS: usize = 78;

/// The subcommands by what somebody wants.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Try it and set it up", &["demo", "init", "check"]),
    ("Test an API", &["run", "resume", "observe"]),
    (
        "Look at a saved run",
        &["show", "report", "judge", "diff", "baseline"],
    ),
    ("Read up", &["explain", "drills", "policies"]),
    (
        "The built-in API, and tests of doubletap itself",
        &["sandbox", "faults", "selftest", "bench"],
    ),
    ("For editors and shells", &["schema", "completions"]),
];

const FIRST_STEPS: &str = "\
First steps:
  doubletap demo
  doubletap demo --design one-transaction --fault check-then-insert
  doubletap init --from-curl \"curl http://localhost:8080/payments --json ...\"
  doubletap check
  doubletap run
  doubletap show last drill.concurrent
";

/// The command with its help laid out.
#[must_use]
pub fn laid_out(command: Command) -> Command {
    let groups = groups(&command);
    command
        .help_template(format!(
            "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}\nOptions:\n{{options}}{{after-help}}"
        ))
        .after_help(format!("{FIRST_STEPS}\n{}", exit_codes()))
}

fn groups(command: &Command) -> String {
    let mut out = String::new();
    for (title, names) in GROUPS {
        out.push_str(&format!("{title}:\n"));
        for name in names {
            let about = command
                .find_subcommand(name)
                .and_then(Command::get_about)
                .map(ToString::to_string)
                .unwrap_or_default();
            out.push_str(&format!("  {name:<12} {about}\n"));
        }
        out.push('\n');
    }
    out.push_str("`doubletap help COMMAND` says more of each, with examples.\n");
    out
}

fn exit_codes() -> String {
    let mut text = String::from("Exit codes:\n");
    for (code, _, meaning) in exit::CODES {
        let mut line = format!("  {code:>3} ");
        for word in meaning.split(' ') {
            if line.chars().count() + 1 + word.chars().count() > COLUMNS {
                text.push_str(&line);
                text.push('\n');
                line = " ".repeat(6);
            }
            line.push(' ');
            line.push_str(word);
        }
        text.push_str(&line);
        text.push('\n');
    }
    text.push_str("Where several apply: 130, 1, 4, 3, 0. `doubletap explain 3` says more.");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_names_every_subcommand_once_and_fits_eighty_columns() {
        let mut command = crate::cli::command();
        let help = command.render_long_help().to_string();
        let named: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| names.iter().copied())
            .collect();
        for subcommand in command.get_subcommands().filter(|c| !c.is_hide_set()) {
            let name = subcommand.get_name();
            let times = named.iter().filter(|known| **known == name).count();
            assert!(
                times == 1 || name == "help",
                "{name} stands there {times} times"
            );
        }
        for name in named {
            let line = help
                .lines()
                .find(|line| line.starts_with(&format!("  {name} ")))
                .unwrap_or_else(|| panic!("{name} is not in\n{help}"));
            assert!(line.len() > 20 && line.chars().count() <= COLUMNS, "{line}");
        }
    }

    #[test]
    fn help_names_every_exit_code() {
        let help = crate::cli::command().render_long_help().to_string();
        for (code, _, _) in exit::CODES {
            assert!(
                help.contains(&format!("{code:>3}  ")),
                "{code} is missing in\n{help}"
            );
        }
        assert!(
            help.lines().all(|line| line.chars().count() <= 110),
            "{help}"
        );
    }
}
