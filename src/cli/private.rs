//! Files that hold secrets and that others on the machine may read: said once, on standard error.
//! It must not know what is in them, nor change them.

use std::path::Path;

/// Says so where others than the owner may read the file.
pub fn note(path: &str, why: &str) {
    if let Some(mode) = open_to_others(Path::new(path)) {
        let path = crate::report::text::line(path);
        crate::cli::complain!(
            "note: others may read {path} (mode {mode:o}), and {why}: chmod 600 {path}"
        );
    }
}

/// The file's mode, where it lets others read.
#[cfg(unix)]
fn open_to_others(path: &Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(path).ok()?.permissions().mode() & 0o777;
    (mode & 0o044 != 0).then_some(mode)
}

#[cfg(not(unix))]
fn open_to_others(_: &Path) -> Option<u32> {
    None
}
