//! From a journal and a policy to findings: pure, without clock, files or the network.
//! It must not know how requests are sent, nor how findings are printed.

pub mod finding;

pub use finding::*;
