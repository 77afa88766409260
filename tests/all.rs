//! All integration tests in one binary, so that they are linked once.

mod sandbox;
mod support;
