//! The built-in payments API.
