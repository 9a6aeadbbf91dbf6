//! Progress on a terminal; plain lines elsewhere.

use std::{
    io::IsTerminal as _,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use indicatif::{FormattedDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{file_bar::FileBar, talk};
use crate::{hub::DownloadProgress, prepare::Progress};

/// A bar with samples per second, tokens per second and the time left.
pub(super) struct TerminalProgress {
    bar: Mutex<Option<Running>>,
    tokens: AtomicUsize,
    interactive: bool,
    download: FileBar,
}

struct Running {
    bar: ProgressBar,
    started: Instant,
    /// Samples that were there before.
    done: u64,
}

impl Running {
    /// Speeds, and the time left once it can be told from samples that are finished.
    fn message(&self, tokens: usize) -> String {
        let seconds = self.started.elapsed().as_secs_f64().max(1e-3);
        let speed = format!("{:.0} tokens/s", tokens as f64 / seconds);
        let finished = self.bar.position().saturating_sub(self.done);
        if finished == 0 {
            return speed;
        }
        let samples_per_second = finished as f64 / seconds;
        let left = self.bar.length().unwrap_or(0).saturating_sub(self.bar.position());
        let seconds_left = Duration::from_secs_f64(left as f64 / samples_per_second);
        format!(
            "{samples_per_second:.1} samples/s  {speed}  ETA {}",
            FormattedDuration(seconds_left)
        )
    }
}

impl TerminalProgress {
    /// Draws on stderr if that is a terminal.
    pub(super) fn new() -> Self {
        let interactive = std::io::stderr().is_terminal();
        let (bar, tokens) = (Mutex::new(None), AtomicUsize::new(0));
        Self { bar, tokens, interactive, download: FileBar::new() }
    }

    fn with_bar(&self, act: impl FnOnce(&Running)) {
        if let Ok(slot) = self.bar.lock()
            && let Some(bar) = slot.as_ref()
        {
            act(bar);
        }
    }
}

impl DownloadProgress for TerminalProgress {
    fn begin_file(&self, file: &str, total_bytes: u64, done_bytes: u64) {
        self.download.begin(file, total_bytes, done_bytes);
    }

    fn bytes(&self, count: u64) {
        self.download.bytes(count);
    }

    fn end_file(&self) {
        self.download.end();
    }

    fn waiting(&self, why: &str) {
        self.note(why);
    }
}

impl Progress for TerminalProgress {
    fn note(&self, text: &str) {
        let mut shown = false;
        self.with_bar(|bar| {
            bar.bar.suspend(|| talk(text));
            shown = true;
        });
        if !shown {
            talk(text);
        }
    }

    fn begin(&self, title: &str, samples: usize, done: usize) {
        if !self.interactive {
            let rest = if done > 0 { format!(", {done} done before") } else { String::new() };
            talk(&format!("{title}: {samples} samples{rest}"));
            return;
        }
        let style = "{prefix} {bar:30} {pos}/{len}  {msg}";
        let bar = ProgressBar::with_draw_target(Some(samples as u64), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        bar.set_prefix(title.to_owned());
        bar.set_position(done as u64);
        self.tokens.store(0, Ordering::Relaxed);
        if let Ok(mut slot) = self.bar.lock() {
            *slot = Some(Running { bar, started: Instant::now(), done: done as u64 });
        }
    }

    fn samples(&self, count: usize) {
        self.with_bar(|bar| bar.bar.inc(count as u64));
    }

    fn tokens(&self, count: usize) {
        let tokens = self.tokens.fetch_add(count, Ordering::Relaxed) + count;
        self.with_bar(|bar| bar.bar.set_message(bar.message(tokens)));
    }

    fn end(&self) {
        if let Ok(mut slot) = self.bar.lock()
            && let Some(bar) = slot.take()
        {
            bar.bar.finish_and_clear();
        }
    }
}
