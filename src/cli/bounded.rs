//! Files of configuration, read up to a bound: what has no end must not fill the memory.
//! It must not know what is in them.

use std::fs::File;
use std::io::{self, BufRead, Read};
use std::path::Path;

/// What a file of configuration may hold at the most.
pub const MOST: u64 = 16 * 1024 * 1024;
/// What one line of a journal may hold at the most: a reply of 4 MiB with all its bytes written as escapes is far below.
pub const LONGEST_LINE: u64 = 64 * 1024 * 1024;

/// Reads a whole file that is not too long, also a pipe.
///
/// # Errors
/// Where it cannot be read, or goes on beyond the bound.
pub fn read(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = File::open(path)?;
    file.take(MOST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it is longer than {} MiB", MOST / (1024 * 1024)),
        ));
    }
    Ok(bytes)
}

/// Reads a whole text that is not too long.
///
/// # Errors
/// Where it cannot be read, goes on beyond the bound, or is no UTF-8.
pub fn read_text(path: impl AsRef<Path>) -> io::Result<String> {
    let no_text = |_| io::Error::new(io::ErrorKind::InvalidData, "it is no text in UTF-8");
    String::from_utf8(read(path)?).map_err(no_text)
}

/// A reader whose lines end: one that goes on beyond the bound is an error.
pub struct Lines<R> {
    inner: R,
    of_this_line: u64,
}

impl<R: BufRead> Lines<R> {
    /// Watches over a reader.
    pub fn new(inner: R) -> Self {
        Self {
            inner,
            of_this_line: 0,
        }
    }
}

impl<R: BufRead> Read for Lines<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let ready = self.fill_buf()?;
        let n = ready.len().min(into.len());
        into[..n].copy_from_slice(&ready[..n]);
        self.consume(n);
        Ok(n)
    }
}

impl<R: BufRead> BufRead for Lines<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.of_this_line > LONGEST_LINE {
            return Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                format!("a line is longer than {} MiB", LONGEST_LINE / (1024 * 1024)),
            ));
        }
        self.inner.fill_buf()
    }

    fn consume(&mut self, n: usize) {
        // whoever reads lines takes up to a break, or all there is
        let ends = self
            .inner
            .fill_buf()
            .is_ok_and(|ready| ready.get(..n).is_some_and(|taken| taken.ends_with(b"\n")));
        self.of_this_line = if ends {
            0
        } else {
            self.of_this_line + n as u64
        };
        self.inner.consume(n);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn what_never_ends_is_refused() {
        let error = read("/dev/zero").unwrap_err().to_string();
        assert!(error.contains("16 MiB"), "{error}");
        let endless = io::BufReader::new(File::open("/dev/zero").unwrap());
        let mut line = Vec::new();
        let error = Lines::new(endless)
            .read_until(b'\n', &mut line)
            .unwrap_err();
        assert!(error.to_string().contains("64 MiB"), "{error}");
    }

    #[test]
    fn a_file_of_the_longest_length_is_read_and_no_more() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let most = usize::try_from(MOST).unwrap();
        std::fs::write(&path, vec![b' '; most]).unwrap();
        assert_eq!(read_text(&path).unwrap().len(), most);
        std::fs::write(&path, vec![b' '; most + 1]).unwrap();
        assert!(read_text(&path).is_err());
    }

    #[test]
    fn lines_are_read_as_they_are() {
        let mut lines = Lines::new(io::BufReader::with_capacity(3, &b"ab\ncdefgh\nij"[..]));
        let mut text = String::new();
        lines.read_to_string(&mut text).unwrap();
        assert_eq!(text, "ab\ncdefgh\nij");
    }
}
