//! The `surprisal` program.
fn main() {}
