//! Ctrl-C: says what is kept and how to go on, and ends the program.

use super::output::talk;

/// Exit code of a program that was interrupted: 128 and the number of the signal.
const INTERRUPTED: i32 = 130;

/// What was answered is on disk after this long: the store gathers answers for less.
const WRITTEN_AFTER: std::time::Duration = std::time::Duration::from_millis(800);

/// From now on, an interrupt writes what `farewell` gives and ends the program, once the answers that it
/// counts are written.
pub(super) fn on_interrupt(farewell: impl Fn() -> String + Send + 'static) {
    #[expect(clippy::exit, reason = "the thread that waits for the signal ends the whole program")]
    let handler = move || {
        talk(&farewell());
        std::thread::sleep(WRITTEN_AFTER);
        std::process::exit(INTERRUPTED);
    };
    // Without a handler an interrupt still ends the program, only wordlessly.
    _ = ctrlc::set_handler(handler);
}
