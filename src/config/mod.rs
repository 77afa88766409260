//! Target, policy and suite files as types, with the place of every value, and what is wrong with them said with carets.
//! It must not know how anything is sent, nor read a file or the environment itself.

mod accounts;
mod apply_flags;
mod body;
mod contracts;
mod counters;
mod declared_policy;
pub mod diagnostic;
mod document;
mod drill;
mod expand;
mod explain;
pub mod flags;
mod json_value;
mod live;
mod load;
mod mask;
pub mod nearest;
mod operation_file;
mod operations;
mod ordered;
mod places;
pub mod policy;
mod resolve_settings;
mod resolver;
mod secrets;
mod set_clause;
pub mod settings;
pub mod source;
pub mod suite;
pub mod target;
pub mod target_file;
mod toml_error;
mod under;

pub use contracts::{FLOOR, PLAIN};
pub use declared_policy::{Asked, DeclaredPolicy};
pub use diagnostic::Diagnostic;
pub use drill::parse_drill;
pub use explain::hidden;
pub use flags::Flags;
pub use load::{Inputs, Loaded, load};
pub use policy::{Policy, parse_policy};
pub use settings::{Format, Protocol, Settings};
pub use source::Source;
pub use under::{Sketch, contracts_under};
