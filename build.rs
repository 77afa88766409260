//! Lists the bundled drills and policies, so that a new file needs no second place that names it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(
        env::var_os("CARGO_MANIFEST_DIR")
            .ok_or_else(|| io::Error::other("no manifest directory"))?,
    );
    let mut code = String::new();
    for (constant, folder) in [
        ("SUITES", "suites"),
        ("POLICIES", "policies"),
        ("PROVIDERS", "providers"),
    ] {
        println!("cargo:rerun-if-changed={folder}");
        let mut files = Vec::new();
        toml_files(&root.join(folder), &mut files)?;
        files.sort();
        writeln!(code, "static {constant}: &[(&str, &str)] = &[").map_err(io::Error::other)?;
        for file in files {
            println!("cargo:rerun-if-changed={}", file.display());
            let name = file
                .strip_prefix(&root)
                .map_err(io::Error::other)?
                .to_string_lossy()
                .replace('\\', "/");
            writeln!(
                code,
                "    ({name:?}, include_str!({:?})),",
                file.to_string_lossy()
            )
            .map_err(io::Error::other)?;
        }
        code.push_str("];\n");
    }
    let out = PathBuf::from(
        env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("no output directory"))?,
    );
    fs::write(out.join("bundled.rs"), code)
}

fn toml_files(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            println!("cargo:rerun-if-changed={}", path.display());
            toml_files(&path, files)?;
        } else if path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            files.push(path);
        }
    }
    Ok(())
}
