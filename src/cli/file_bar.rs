//! The progress of a download on a terminal; nothing elsewhere.

use std::{io::IsTerminal as _, sync::Mutex};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar with bytes, bytes per second and the time left.
pub(super) struct FileBar {
    bar: Mutex<Option<ProgressBar>>,
    interactive: bool,
}

impl FileBar {
    /// Draws on stderr if that is a terminal.
    pub(super) fn new() -> Self {
        Self { bar: Mutex::new(None), interactive: std::io::stderr().is_terminal() }
    }

    /// Begins with a file of which part may be there.
    pub(super) fn begin(&self, file: &str, total_bytes: u64, done_bytes: u64) {
        if !self.interactive {
            return;
        }
        let style = "{prefix} {bar:30} {binary_bytes}/{binary_total_bytes}  {binary_bytes_per_sec}  ETA {eta}";
        let bar = ProgressBar::with_draw_target(Some(total_bytes), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        bar.set_prefix(file.to_owned());
        bar.set_position(done_bytes);
        // Speed and time left are those of this download alone.
        bar.reset_eta();
        if let Ok(mut slot) = self.bar.lock() {
            *slot = Some(bar);
        }
    }

    /// So many more bytes arrived.
    pub(super) fn bytes(&self, count: u64) {
        if let Ok(slot) = self.bar.lock()
            && let Some(bar) = slot.as_ref()
        {
            bar.inc(count);
        }
    }

    /// Takes the bar away.
    pub(super) fn end(&self) {
        if let Ok(mut slot) = self.bar.lock()
            && let Some(bar) = slot.take()
        {
            bar.finish_and_clear();
        }
    }
}
