//! The only I/O towards the target: sends what was planned, counts what happened, and records all of it as events.
//! It must not know how anything is judged; whatever could not be done is an event that says so.

pub mod client;
pub mod clock;
pub mod command;
pub mod effects;
pub mod flight;
pub mod gate;
pub mod gated_body;
pub mod hosts;
pub mod in_step;
pub mod lane;
pub mod meter;
pub mod patience;
pub mod shot;

#[cfg(test)]
mod tests;
