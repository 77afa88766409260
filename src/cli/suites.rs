//! Which drills a run is about: suites by name or folder, drills by id, and what to say where a name fits nothing.
//! It must not know what a drill does.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::bundled;
use crate::config::suite::Drill;
use crate::config::target::Target;
use crate::config::{Diagnostic, Source, parse_drill};
use crate::plan::{self, Plan, Races, select};

/// The suite that runs where nothing is said.
const DEFAULT: &str = "drill";
/// The drill on which all others rest.
const CONTROL: &str = "drill.control";

/// Drills that cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// No such suite.
    #[error("no suite or folder is called `{name}`; bundled are {}, all", known.join(", "))]
    Unknown {
        /// What was asked for.
        name: String,
        /// The bundled ones.
        known: Vec<&'static str>,
    },
    /// A file that cannot be read.
    #[error("cannot read {path}: {why}")]
    Read {
        /// The file.
        path: String,
        /// Why.
        why: String,
    },
    /// A file that is no drill.
    #[error("{}", told(.0))]
    Wrong(Vec<Diagnostic>),
    /// Two files of one's own with one id.
    #[error("{one} and {other} both are the drill `{id}`; give one of them another id")]
    Twice {
        /// The id.
        id: String,
        /// A file.
        one: String,
        /// Another file.
        other: String,
    },
    /// A drill that is required and not among those of the run.
    #[error(
        "`--require {wanted}` is not among the drills of this run{}",
        perhaps(near)
    )]
    Required {
        /// What was asked for.
        wanted: String,
        /// Names like it.
        near: Vec<String>,
    },
    /// Nothing fits.
    #[error("nothing matches `--drill {wanted}`{}", perhaps(near))]
    NoMatch {
        /// What was asked for.
        wanted: String,
        /// Names like it.
        near: Vec<String>,
    },
    /// The suites hold nothing for this target.
    #[error(
        "none of the drills is for an operation of this target; it needs one that is a POST or PATCH, or drills that name its method"
    )]
    Nothing,
}

fn perhaps(near: &[String]) -> String {
    if near.is_empty() {
        "; `doubletap drills` lists them".to_owned()
    } else {
        format!("; perhaps {}", near.join(", "))
    }
}

/// The drills of these suites, the control first. Where only drills are named, all bundled ones can be meant.
///
/// # Errors
/// A suite that is not there, or a file that is no drill.
pub fn gather(suites: &[String], only_drills: bool) -> Result<Vec<Drill>, SuiteError> {
    let mut names: Vec<&str> = suites.iter().map(String::as_str).collect();
    if names.is_empty() {
        names.push(if only_drills { "all" } else { DEFAULT });
    }
    let mut drills: Vec<Drill> = Vec::new();
    for (file, text) in bundled::drills() {
        let suite = file.trim_start_matches("suites/").split('/').next();
        let named = names
            .iter()
            .any(|name| *name == "all" || Some(*name) == suite);
        // bundled drills are checked by a test, not at every start
        let drill: Drill = toml::from_str(text).map_err(|error| SuiteError::Read {
            path: file.to_owned(),
            why: error.to_string(),
        })?;
        if named || drill.id == CONTROL {
            drills.push(drill);
        }
    }
    let known = bundled::suites();
    let mut own: BTreeMap<String, String> = BTreeMap::new();
    for name in names {
        if name == "all" || known.contains(&name) {
            continue;
        }
        let path = Path::new(name);
        if !path.exists() {
            return Err(SuiteError::Unknown {
                name: name.to_owned(),
                known,
            });
        }
        for file in files(path)? {
            let shown = file.display().to_string();
            let text = super::bounded::read_text(&file).map_err(|error| SuiteError::Read {
                path: shown.clone(),
                why: error.to_string(),
            })?;
            let drill = parse(&shown, &text)?;
            if let Some(other) = own.insert(drill.id.clone(), shown.clone()) {
                return Err(SuiteError::Twice {
                    id: drill.id,
                    one: other,
                    other: shown,
                });
            }
            // a file of one's own may replace a bundled drill
            drills.retain(|known| known.id != drill.id);
            drills.push(drill);
        }
    }
    Ok(drills)
}

fn parse(name: &str, text: &str) -> Result<Drill, SuiteError> {
    parse_drill(&Source::new(name, text)).map_err(SuiteError::Wrong)
}

fn told(errors: &[Diagnostic]) -> String {
    let told: Vec<String> = errors.iter().map(|error| error.render(false)).collect();
    told.join("\n\n")
}

/// The files of a suite of one's own; none of a bundled one.
#[must_use]
pub fn files_of(name: &str) -> Vec<PathBuf> {
    if bundled::suites().contains(&name) {
        return Vec::new();
    }
    files(Path::new(name)).unwrap_or_default()
}

fn files(path: &Path) -> Result<Vec<PathBuf>, SuiteError> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let failed = |error: std::io::Error| SuiteError::Read {
        path: path.display().to_string(),
        why: error.to_string(),
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(path).map_err(failed)? {
        let file = entry.map_err(failed)?.path();
        if file
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            files.push(file);
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(SuiteError::Read {
            path: path.display().to_string(),
            why: "it holds no .toml file".to_owned(),
        });
    }
    Ok(files)
}

/// The plan of these drills; with `wanted`, of those that are meant by it, and of the controls that they rest on.
///
/// # Errors
/// A name that fits nothing, with names like it; or nothing at all to do.
pub fn plan(
    target: &Target,
    drills: &[Drill],
    wanted: &[String],
    races: Races,
    run: &str,
) -> Result<Plan, SuiteError> {
    let all = plan::plan(target, drills, races, run, &|_| true);
    for wanted in wanted {
        if !all
            .instances
            .iter()
            .any(|instance| select::matches(instance, wanted))
        {
            let ids = all
                .instances
                .iter()
                .flat_map(|instance| [instance.id.as_str(), instance.drill.id.as_str()]);
            return Err(SuiteError::NoMatch {
                wanted: wanted.clone(),
                near: select::nearest(wanted, ids)
                    .into_iter()
                    .map(str::to_owned)
                    .collect(),
            });
        }
    }
    let meant = |instance: &plan::Instance| {
        wanted.is_empty()
            || wanted
                .iter()
                .any(|wanted| select::matches(instance, wanted))
    };
    let plan = plan::plan(target, drills, races, run, &meant);
    if plan.instances.is_empty() {
        return Err(SuiteError::Nothing);
    }
    Ok(plan)
}

/// That every required drill is in the plan: one that is not there can never be missed.
///
/// # Errors
/// The first that is not, with names like it.
pub fn require(plan: &Plan, required: &[String]) -> Result<(), SuiteError> {
    for wanted in required.iter().filter(|wanted| *wanted != "all") {
        let planned = || plan.instances.iter();
        if !planned().any(|instance| select::matches(instance, wanted)) {
            let ids = planned().flat_map(|i| [i.id.as_str(), i.drill.id.as_str()]);
            let near = select::nearest(wanted, ids);
            return Err(SuiteError::Required {
                wanted: wanted.clone(),
                near: near.into_iter().map(str::to_owned).collect(),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suite_of_ones_own_runs_with_the_control_before_it() {
        let folder = tempfile::tempdir().unwrap();
        let (_, text) = *bundled::drills()
            .iter()
            .find(|(name, _)| name.ends_with("drill/replay.toml"))
            .unwrap();
        fs::write(
            folder.path().join("mine.toml"),
            text.replace("drill.replay", "mine.late"),
        )
        .unwrap();
        fs::write(folder.path().join("notes.txt"), "no drill").unwrap();
        let drills = gather(&[folder.path().display().to_string()], false).unwrap();
        let ids: Vec<&str> = drills.iter().map(|drill| drill.id.as_str()).collect();
        assert_eq!(ids, [CONTROL, "mine.late"]);
    }

    #[test]
    fn a_suite_that_is_not_there_is_named_with_those_that_are() {
        let error = gather(&["dril".to_owned()], false).unwrap_err().to_string();
        assert!(
            error.contains("`dril`") && error.contains("drill, "),
            "{error}"
        );
    }

    #[test]
    fn a_file_that_is_no_drill_is_shown_with_its_place() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("mine.toml"), "id = 3\n").unwrap();
        let error = gather(&[folder.path().display().to_string()], false)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("mine.toml") && error.contains(":1:"),
            "{error}"
        );
    }
}
