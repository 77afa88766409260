//! The `doubletap` command.

fn main() {}
