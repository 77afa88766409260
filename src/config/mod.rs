//! Target, policy and suite files as types, with the place of every value, and what is wrong with them said with carets.
//! It must not know how anything is sent, nor read a file or the environment itself.

pub mod settings;
pub mod suite;
pub mod target;
