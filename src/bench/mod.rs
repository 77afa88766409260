//! Measures the race engine itself, beside other tools and in the same run: how close together requests arrive, and how often a
//! window of known length is hit.
//! It must not know the command line, nor anything of contracts and verdicts.
//!
//! A probe server in a process of its own takes the time of each request when the last byte of its body was parsed. Every way to
//! send is given the same rounds against it, in turns, so that a quiet or a busy moment of the machine is shared by all.

pub mod cell;
pub mod child;
pub mod frames;
pub mod machine;
pub mod markdown;
pub mod ours;
pub mod probe;
pub mod race;
pub mod relay;
pub mod rival;
pub mod runs;
pub mod sender;
pub mod table;
