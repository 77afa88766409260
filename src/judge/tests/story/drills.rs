//! Bundled drills and what their steps send, for stories.
//! They must not know what is answered.

use crate::config::suite::{Drill, KeyShape, RequestFields, Step};
use crate::journal::Content;
use crate::plan::Instance;

/// A bundled drill, by `SUITE/NAME` or the name of one of the suite `drill`.
pub fn drill(name: &str) -> Drill {
    let name = if name.contains('/') {
        name.to_owned()
    } else {
        format!("drill/{name}")
    };
    let path = format!("{}/suites/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// What an intent puts into a request.
pub struct Keyed {
    pub key: Option<String>,
    pub lines: Vec<String>,
    pub reference: String,
}

/// The key and reference of an intent, as its shape in the drill says.
pub fn keyed(drill: &Drill, place: &str, intent: &str) -> Keyed {
    let shape = drill.keys.get(intent).unwrap_or(&KeyShape::Fresh);
    let own = format!("key-{place}-{intent}");
    let reference = format!("ref-{place}-{intent}");
    let of = |other: &String| keyed(drill, place, other);
    let plain = |key: String| Keyed {
        lines: vec![key.clone()],
        key: Some(key),
        reference: reference.clone(),
    };
    match shape {
        _ if intent.is_empty() => Keyed {
            key: None,
            lines: vec![],
            reference,
        },
        KeyShape::Missing => Keyed {
            key: None,
            lines: vec![],
            reference,
        },
        KeyShape::Empty => plain(String::new()),
        KeyShape::OneCharacter => plain("x".into()),
        KeyShape::AtMaximum => plain("m".repeat(255 - own.len()) + &own),
        KeyShape::HighEntropy => plain("m".repeat(4_000 - own.len()) + &own),
        KeyShape::OverMaximum => plain("m".repeat(256 - own.len()) + &own),
        KeyShape::OtherForm => Keyed {
            lines: vec![format!("\"{own}\"")],
            ..plain(own)
        },
        KeyShape::TwoLines => Keyed {
            lines: vec![own.clone(), own.clone()],
            ..plain(own)
        },
        KeyShape::SameAs(other) => Keyed {
            reference,
            ..of(other)
        },
        KeyShape::SameReferenceAs(other) => Keyed {
            reference: of(other).reference,
            ..plain(own)
        },
        KeyShape::UpperOf(other) => plain(of(other).key.unwrap().to_uppercase()),
        KeyShape::PrefixOf(other) => {
            let mut key = of(other).key.unwrap();
            key.pop();
            plain(key + "0")
        }
        KeyShape::OtherFormOf(other) => {
            let other = of(other);
            Keyed {
                lines: vec![format!("\"{}\"", other.lines[0])],
                ..other
            }
        }
        KeyShape::TwoLinesOf(other) => {
            let other = of(other);
            Keyed {
                lines: vec![other.lines[0].clone(); 2],
                ..other
            }
        }
        _ => plain(own),
    }
}

/// A drill on an operation, with a case's fields filled in.
pub fn instance(mut drill: Drill, operation: &str, case: Option<&str>) -> Instance {
    if let Some(case) = drill
        .case
        .iter()
        .find(|c| Some(c.id.as_str()) == case)
        .cloned()
    {
        for step in &mut drill.step {
            for fields in requests_mut(step) {
                if let Some(with) = fields.name.as_ref().and_then(|n| case.with.get(n)) {
                    fields.account = with.account.clone().or(fields.account.take());
                    fields.cut = with.cut.or(fields.cut);
                    fields.written = with.written.or(fields.written);
                    fields.vary = with.vary.clone().or(fields.vary.take());
                    fields.body = with.body.clone().or(fields.body.take());
                }
            }
        }
        drill.keys.extend(case.keys);
    }
    Instance {
        id: match case {
            Some(case) => format!("{}/{case}@{operation}", drill.id),
            None => format!("{}@{operation}", drill.id),
        },
        drill,
        case: case.map(str::to_owned),
        operation: operation.to_owned(),
        other_operation: None,
        rounds: 1,
        copies: 3,
        skip: None,
        left_out: Vec::new(),
    }
}

fn requests_mut(step: &mut Step) -> Vec<&mut RequestFields> {
    match step {
        Step::Send(f) | Step::Retry(f) | Step::Read(f) => vec![f],
        Step::Burst(burst) => burst.send.iter_mut().collect(),
        Step::Overlap(overlap) => std::iter::once(&mut overlap.first)
            .chain(overlap.during.iter_mut())
            .collect(),
        _ => vec![],
    }
}

/// The fields of a step.
pub fn fields(drill: &Drill, step: &str) -> RequestFields {
    let mut steps = drill.step.clone();
    let named = |f: &&mut RequestFields| f.name.as_deref() == Some(step);
    let found = steps
        .iter_mut()
        .flat_map(requests_mut)
        .find(named)
        .map(|f| f.clone());
    found.unwrap_or_else(|| panic!("{} has no step {step}", drill.id))
}

/// A body as the journal keeps it.
pub fn content(text: &str) -> Content {
    Content {
        text: Some(text.to_owned()),
        len: text.len() as u64,
        // equal for equal texts is all that a test needs
        hmac: text.bytes().map(|b| format!("{b:02x}")).collect(),
        truncated: false,
    }
}

/// The names of all requests of a bundled drill.
pub fn steps_of(name: &str) -> Vec<String> {
    let mut drill = drill(name);
    let steps = drill.step.iter_mut().flat_map(requests_mut);
    steps.filter_map(|fields| fields.name.clone()).collect()
}
