//! The `surprisal` program; everything is in the library.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// Every tensor operation allocates its result; the system's allocator gives large blocks back at once
/// and zeroes new ones, which is a quarter of a small model's time.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    surprisal::cli::main()
}
