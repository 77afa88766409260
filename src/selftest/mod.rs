//! What the drills must find on the built-in sandbox, written by hand, and how that compares with what they found.
//! It must not know how a sandbox is started or a run carried out.

pub mod matrix;
pub mod model;

pub use matrix::{Outcome, Row};
pub use model::{Case, Model};
