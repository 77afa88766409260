//! How output looks: colours, width, how much is said beside the report.
//! It must not know what is shown.

use std::io::IsTerminal;

use anstream::{AutoStream, ColorChoice};
use clap::{Args, ValueEnum};

use crate::report::Options;

/// Columns where nobody says how many there are.
const COLUMNS: u16 = 100;

/// What every subcommand takes.
#[derive(Args, Clone, Debug, Default)]
pub struct Look {
    /// auto, always or never; auto heeds the terminal, NO_COLOR, CLICOLOR and CLICOLOR_FORCE
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value_t = When::Auto,
        hide_possible_values = true,
        help_heading = "Output"
    )]
    color: When,

    /// Say nothing on standard error but errors
    #[arg(short, long, global = true, help_heading = "Output")]
    quiet: bool,

    /// Say more on standard error; twice: every request
    #[arg(short, long, global = true, action = clap::ArgAction::Count, help_heading = "Output")]
    verbose: u8,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// Where it is a terminal that wants them
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Look {
    /// The layout for standard output.
    #[must_use]
    pub fn stdout(&self) -> Options {
        let color = match self.color {
            When::Always => true,
            When::Never => false,
            When::Auto => AutoStream::choice(&std::io::stdout()) != ColorChoice::Never,
        };
        Options {
            width: width(),
            color,
            ..Options::default()
        }
    }

    /// Whether standard error may be coloured.
    #[must_use]
    pub fn color_stderr(&self) -> bool {
        match self.color {
            When::Always => true,
            When::Never => false,
            When::Auto => AutoStream::choice(&std::io::stderr()) != ColorChoice::Never,
        }
    }

    /// Whether nothing but errors is said on standard error.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Whether standard output and standard error are read on one screen.
    #[must_use]
    pub fn one_screen(&self) -> bool {
        std::io::stdout().is_terminal() && std::io::stderr().is_terminal() || one_file()
    }

    /// How much more is said on standard error.
    #[must_use]
    pub fn verbosity(&self) -> u8 {
        self.verbose
    }

    /// Whether a moving progress line makes sense.
    #[must_use]
    pub fn moves(&self) -> bool {
        // some pipelines give their jobs a terminal that keeps every frame
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        !self.quiet && !set("CI") && !dumb && std::io::stderr().is_terminal()
    }
}

/// The terminal's width, else `COLUMNS`, else a common one.
fn width() -> u16 {
    let terminal = || comfy_table::Table::new().width();
    let told = || std::env::var("COLUMNS").ok()?.parse().ok();
    terminal().or_else(told).unwrap_or(COLUMNS)
}

/// Whether both streams end in one file or pipe, as after `2>&1`.
#[cfg(unix)]
fn one_file() -> bool {
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;
    let place = |stream: std::os::fd::BorrowedFd<'_>| {
        let file = std::fs::File::from(stream.try_clone_to_owned().ok()?);
        let found = file.metadata().ok()?;
        Some((found.dev(), found.ino()))
    };
    let out = place(std::io::stdout().as_fd());
    out.is_some() && out == place(std::io::stderr().as_fd())
}

#[cfg(not(unix))]
fn one_file() -> bool {
    false
}
