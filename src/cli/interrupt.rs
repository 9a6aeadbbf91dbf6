//! Ctrl-C: says what is kept and how to go on, and ends the program.

use super::output::talk;

/// Exit code of a program that was interrupted: 128 and the number of the signal.
pub(super) const INTERRUPTED: i32 = 130;

/// From now on, an interrupt writes what `farewell` gives and ends the program. Answers are written as
/// they come, and what is not committed is asked again when the run is taken up, so there is nothing
/// to wait for.
pub(super) fn on_interrupt(farewell: impl Fn() -> String + Send + 'static) {
    #[expect(clippy::exit, reason = "the thread that waits for the signal ends the whole program")]
    let handler = move || {
        talk(&farewell());
        std::process::exit(INTERRUPTED);
    };
    // Without a handler an interrupt still ends the program, only wordlessly.
    _ = ctrlc::set_handler(handler);
}
