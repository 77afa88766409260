//! A reply as it was typed, and the folder of a policy that it lies in.
//! It must not know what any reply means.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use doubletap::bundled;
use doubletap::config::target::{Identity, Operation};
use doubletap::config::{Flags, Inputs, Source, load};
use doubletap::contract::{Contract, Received};

/// A typed reply.
pub(crate) struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
}

impl Reply {
    /// Reads a reply; lines may end with or without a carriage return.
    pub(crate) fn parse(text: &str) -> Self {
        let text = text.replace("\r\n", "\n");
        let (head, body) = text.split_once("\n\n").unwrap_or((text.trim_end(), ""));
        let mut lines = head.lines();
        let status = lines.next().unwrap().strip_prefix("HTTP/1.1 ").unwrap();
        let headers = lines.map(|line| {
            let (name, value) = line.split_once(": ").unwrap();
            (name.to_owned(), value.to_owned())
        });
        Self {
            status: status[..3].parse().unwrap(),
            headers: headers.collect(),
            body: body.trim_end_matches('\n').to_owned(),
        }
    }

    pub(crate) fn received(&self) -> Received<'_> {
        Received {
            status: self.status,
            headers: &self.headers,
            text: Some(&self.body),
        }
    }

    /// What the operation calls the identity of a result.
    pub(crate) fn identity(&self, operation: &Operation) -> Option<String> {
        let reply = self.received();
        match &operation.identity {
            Identity::Pointer(place) => reply.at(place).into_iter().next(),
            Identity::Xml(path) => reply.at(&format!("xml:{path}")).into_iter().next(),
            Identity::Header(name) => reply.header(name).next().map(str::to_owned),
            Identity::Detect | Identity::None => None,
        }
    }
}

/// The replies to one operation of one policy.
pub(crate) struct Folder {
    pub(crate) policy: String,
    pub(crate) operation: Operation,
    pub(crate) contract: Contract,
    /// File name without `.http` -> reply.
    pub(crate) replies: BTreeMap<String, Reply>,
}

impl Folder {
    /// The first reply, where one is typed.
    pub(crate) fn first(&self) -> Option<&Reply> {
        self.replies.get("first")
    }
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/replies")
}

fn children(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

/// The operations and contracts of a target file.
pub(crate) fn contracts(policy: &str, operations: &str) -> Vec<(Operation, Contract)> {
    let text = format!("url = \"http://127.0.0.1:1\"\npolicy = \"{policy}\"\n{operations}");
    let find = |name: &str| {
        let (name, text) = bundled::policy(name)?;
        Some(Source::new(name, text))
    };
    let loaded = load(Inputs {
        target: Some(Source::new(format!("{policy}/operation.toml"), text)),
        flags: &Flags::default(),
        env: &|_| None,
        policies: &find,
        policy_names: &[],
    });
    let target = loaded
        .unwrap_or_else(|errors| {
            let errors: Vec<String> = errors.iter().map(|error| error.render(false)).collect();
            panic!("{policy}: {}", errors.join("\n"))
        })
        .target;
    let operations = target.operations.iter();
    operations
        .map(|operation| (operation.clone(), target.contracts[&operation.name].clone()))
        .collect()
}

/// Every folder of replies: that of a policy belongs to its first operation, those within to the operation of their name.
pub(crate) fn folders() -> Vec<Folder> {
    let mut folders = Vec::new();
    for path in children(&fixtures()).iter().filter(|path| path.is_dir()) {
        let policy = name(path);
        let operations = fs::read_to_string(path.join("operation.toml")).unwrap();
        for (n, (operation, contract)) in contracts(&policy, &operations).into_iter().enumerate() {
            let within = path.join(&operation.name);
            let folder = if n == 0 { path } else { &within };
            folders.push(Folder {
                policy: policy.clone(),
                operation,
                contract,
                replies: replies(folder),
            });
        }
        let known: Vec<&str> = folders.iter().map(|f| f.operation.name.as_str()).collect();
        for within in children(path).iter().filter(|path| path.is_dir()) {
            assert!(
                known.contains(&name(within).as_str()),
                "{} has no operation",
                within.display()
            );
        }
    }
    folders
}

fn replies(folder: &Path) -> BTreeMap<String, Reply> {
    let files = children(folder).into_iter();
    let replies = files.filter_map(|path| {
        let name = name(&path).strip_suffix(".http")?.to_owned();
        Some((name, Reply::parse(&fs::read_to_string(&path).unwrap())))
    });
    replies.collect()
}
