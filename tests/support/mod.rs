//! What several kinds of tests need: a PostgreSQL cluster of their own.

pub mod postgres;
