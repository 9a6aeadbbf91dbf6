//! Progress: a bar on a terminal, and elsewhere a plain line every ten seconds.

mod task;

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use self::task::{Task, TaskKind};
use super::output::{stderr_columns, talk};
use crate::{hub::DownloadProgress, prepare::Progress, report::grouped};

/// Between two drawings of the bar: faster than anybody reads, slow enough to cost nothing.
const REDRAWN: Duration = Duration::from_millis(80);

/// Between two lines where there is no terminal.
const NEXT_LINE: Duration = Duration::from_secs(10);

/// Tells stderr what happens.
#[derive(Clone)]
pub(super) struct TerminalProgress {
    state: Arc<Mutex<State>>,
}

struct State {
    /// What is going on; the last of it is shown. A download interrupts a phase.
    tasks: Vec<Task>,
    /// The bar, if there is a terminal and something is going on.
    bar: Option<ProgressBar>,
    /// When the bar or a line was written last.
    written: Instant,
}

impl TerminalProgress {
    /// Nothing is going on yet.
    pub(super) fn new() -> Self {
        let state = State { tasks: Vec::new(), bar: None, written: Instant::now() };
        Self { state: Arc::new(Mutex::new(state)) }
    }

    /// What is to be said when the run is stopped now: how much is kept, and how to go on. The bar goes.
    pub(super) fn stopped(&self) -> String {
        self.with(|state| {
            state.clear();
            let of_kind =
                |kind| state.tasks.iter().find(|task| task.kind == kind);
            match (of_kind(TaskKind::Samples), of_kind(TaskKind::Steps)) {
                (Some(task), _) => format!(
                    "stopped: {}: {} of {} samples are answered and kept; repeat the command to go on",
                    task.title,
                    grouped(task.done as usize),
                    grouped(task.total as usize)
                ),
                (None, Some(phase)) => format!(
                    "stopped while {}, before anything was asked; repeat the command to start again",
                    phase.title
                ),
                (None, None) => {
                    "stopped; what is answered is kept; repeat the command to go on".to_owned()
                }
            }
        })
    }

    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl State {
    fn begin(&mut self, task: Task) {
        self.tasks.push(task);
        self.draw();
    }

    /// Ends whatever is of that kind.
    fn end(&mut self, kind: TaskKind) {
        self.tasks.retain(|task| task.kind != kind);
        if self.tasks.is_empty() { self.clear() } else { self.draw() }
    }

    fn advance(&mut self, kind: TaskKind, change: impl FnOnce(&mut Task)) {
        if let Some(task) = self.tasks.iter_mut().rev().find(|task| task.kind == kind) {
            change(task);
            self.refresh();
        }
    }

    /// Draws or writes if it is time.
    fn refresh(&mut self) {
        if self.bar.is_some() {
            if self.written.elapsed() >= REDRAWN {
                self.draw();
            }
        } else if let Some(line) = self.due_line(Instant::now()) {
            talk(&line);
        }
    }

    /// The line that is to be written where there is no terminal, once it is time.
    fn due_line(&mut self, now: Instant) -> Option<String> {
        if now.duration_since(self.written) < NEXT_LINE {
            return None;
        }
        self.written = now;
        self.tasks.last().map(Task::plain_line)
    }

    /// Draws the bar; nothing where there is no terminal.
    fn draw(&mut self) {
        let (Some(columns), Some(task)) = (stderr_columns(), self.tasks.last()) else { return };
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{msg}") {
                bar.set_style(style);
            }
            bar
        });
        // A line that fills the last column wraps on some terminals.
        bar.set_message(task.line(columns - 1));
        self.written = Instant::now();
    }

    fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Drop for State {
    fn drop(&mut self) {
        self.clear();
    }
}

impl DownloadProgress for TerminalProgress {
    fn begin_file(&self, file: &str, total_bytes: u64, done_bytes: u64) {
        self.with(|state| state.begin(Task::new(TaskKind::Bytes, file, total_bytes, done_bytes)));
    }

    fn bytes(&self, count: u64) {
        self.with(|state| state.advance(TaskKind::Bytes, |task| task.done += count));
    }

    fn end_file(&self) {
        self.with(|state| state.end(TaskKind::Bytes));
    }

    fn waiting(&self, why: &str) {
        self.note(why);
    }
}

impl Progress for TerminalProgress {
    fn note(&self, text: &str) {
        self.with(|state| match &state.bar {
            Some(bar) => bar.suspend(|| talk(text)),
            None => talk(text),
        });
    }

    fn phase(&self, name: &str, steps: usize) {
        self.with(|state| {
            state.tasks.retain(|task| task.kind != TaskKind::Steps);
            state.begin(Task::new(TaskKind::Steps, name, steps as u64, 0));
        });
    }

    fn step(&self) {
        self.with(|state| state.advance(TaskKind::Steps, |task| task.done += 1));
    }

    fn begin(&self, title: &str, samples: usize, done: usize) {
        self.with(|state| {
            state.tasks.clear();
            state.begin(Task::new(TaskKind::Samples, title, samples as u64, done as u64));
            if state.bar.is_none() {
                let done_before = match done {
                    0 => String::new(),
                    done => format!(", {} done before", grouped(done)),
                };
                talk(&format!("{title}: {} samples{done_before}", grouped(samples)));
                state.written = Instant::now();
            }
        });
    }

    fn samples(&self, count: usize) {
        self.with(|state| state.advance(TaskKind::Samples, |task| task.done += count as u64));
    }

    fn tokens(&self, count: usize) {
        self.with(|state| state.advance(TaskKind::Samples, |task| task.tokens += count as u64));
    }

    fn end(&self) {
        self.with(|state| {
            state.tasks.clear();
            state.clear();
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_due_every_ten_seconds() {
        let progress = TerminalProgress::new();
        progress.phase("building prompts", 57);
        progress.with(|state| {
            let seconds = |seconds| state.written + Duration::from_secs(seconds);
            let [early, due, soon, later] = [9, 10, 19, 20].map(seconds);
            assert_eq!(state.due_line(early), None);
            assert_eq!(state.due_line(due), Some("building prompts: 0 of 57".to_owned()));
            assert_eq!(state.due_line(soon), None);
            assert!(state.due_line(later).is_some());
        });
    }

    #[test]
    fn who_stops_a_run_is_told_what_is_kept() {
        let progress = TerminalProgress::new();
        assert!(progress.stopped().contains("repeat the command to go on"));
        progress.phase("building prompts", 57);
        progress.step();
        assert!(progress.stopped().starts_with("stopped while building prompts, before anything"));
        progress.begin("5 data sets · pocket", 5000, 1000);
        progress.samples(234);
        assert_eq!(
            progress.stopped(),
            "stopped: 5 data sets · pocket: 1,234 of 5,000 samples are answered and kept; repeat the command to go on"
        );
    }
}
