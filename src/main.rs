//! The `surprisal` program; everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    surprisal::cli::main()
}
