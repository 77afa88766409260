//! A fault as it is listed, and as it is chosen by name and value.
//! Must not know what any fault does.

use std::fmt;
use std::str::FromStr;

use super::defect::Defect;
use super::design::Design;
use super::faults::all;

/// A fault of the sandbox.
#[derive(Debug)]
pub struct Fault {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// The designs that it applies to.
    pub designs: &'static [Design],
    /// The value that it takes if none is given; none = it takes no value.
    pub default: Option<&'static str>,
    pub(crate) make: fn(&str) -> Result<Box<dyn Defect>, String>,
}

impl Fault {
    /// Whether it applies to a design.
    #[must_use]
    pub fn applies_to(&self, design: Design) -> bool {
        self.designs.contains(&design)
    }
}

/// A fault as chosen on the command line, with its value.
#[derive(Clone, Debug)]
pub struct Selected {
    fault: &'static Fault,
    value: Option<String>,
}

impl Selected {
    /// The fault.
    #[must_use]
    pub fn fault(&self) -> &'static Fault {
        self.fault
    }

    /// Checks that the fault applies to the design.
    ///
    /// # Errors
    /// With a text for people, if it does not.
    pub fn check(&self, design: Design) -> Result<(), String> {
        if self.fault.applies_to(design) {
            return Ok(());
        }
        let designs: Vec<&str> = self
            .fault
            .designs
            .iter()
            .map(|design| design.name())
            .collect();
        Err(format!(
            "the fault `{}` does not apply to the design `{design}`; it applies to {}",
            self.fault.name,
            designs.join(", ")
        ))
    }

    pub(crate) fn build(&self, design: Design) -> Result<Box<dyn Defect>, String> {
        self.check(design)?;
        (self.fault.make)(
            self.value
                .as_deref()
                .or(self.fault.default)
                .unwrap_or_default(),
        )
    }
}

impl fmt::Display for Selected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Some(value) => write!(f, "{}={value}", self.fault.name),
            None => f.write_str(self.fault.name),
        }
    }
}

impl FromStr for Selected {
    type Err = String;

    /// Reads `NAME` or `NAME=VALUE`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (text, None),
        };
        let fault = all().iter().find(|fault| fault.name == name);
        let Some(&fault) = fault else {
            return Err(format!("no fault is called `{name}`{}", nearest(name)));
        };
        if value.is_some() && fault.default.is_none() {
            return Err(format!("the fault `{name}` takes no value"));
        }
        if let Some(value) = &value {
            (fault.make)(value).map_err(|why| format!("the fault `{name}`: {why}"))?;
        }
        Ok(Self { fault, value })
    }
}

/// The names that were perhaps meant.
fn nearest(name: &str) -> String {
    let mut close: Vec<(f64, &str)> = all()
        .iter()
        .map(|fault| (strsim::jaro_winkler(name, fault.name), fault.name))
        .filter(|(likeness, _)| *likeness > 0.75)
        .collect();
    close.sort_by(|one, other| other.0.total_cmp(&one.0));
    let names: Vec<String> = close
        .iter()
        .take(3)
        .map(|(_, name)| format!("`{name}`"))
        .collect();
    if names.is_empty() {
        "; `doubletap faults` lists them".to_owned()
    } else {
        format!("; the nearest names are {}", names.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_is_answered_with_the_nearest() {
        let error = "check-than-insert".parse::<Selected>().unwrap_err();
        assert!(error.contains("`check-then-insert`"), "{error}");
        assert!(
            "ignore-key=1"
                .parse::<Selected>()
                .unwrap_err()
                .contains("no value")
        );
        assert!(
            "check-then-insert=soon"
                .parse::<Selected>()
                .unwrap_err()
                .contains("20ms")
        );
        assert!("check-then-insert=100us-cpu".parse::<Selected>().is_ok());
    }

    #[test]
    fn a_fault_is_refused_on_a_design_that_it_does_not_apply_to() {
        let fault: Selected = "ignore-key".parse().unwrap();
        assert!(fault.check(Design::OneTransaction).is_ok());
        assert!(
            fault
                .check(Design::KeyAfterWork)
                .unwrap_err()
                .contains("claim-first")
        );
    }
}
