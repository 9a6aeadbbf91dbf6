//! Something that takes a while, and how far it is, in a line.

use std::time::{Duration, Instant};

use indicatif::{BinaryBytes, FormattedDuration};

use crate::{
    cli::{
        visible::visible_line,
        width::{Cut, shortened, width},
    },
    report::grouped,
};

/// Columns of a bar, where there is room for as many.
const BAR: usize = 30;

/// Columns of a bar that still shows something.
const LEAST_BAR: usize = 8;

/// Columns that a title keeps.
const LEAST_TITLE: usize = 12;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TaskKind {
    /// Steps of a phase of the preparation.
    Steps,
    /// Samples that are answered.
    Samples,
    /// Bytes of a file that is fetched.
    Bytes,
}

/// Something that takes a while.
pub(super) struct Task {
    pub(super) kind: TaskKind,
    pub(super) title: String,
    pub(super) total: u64,
    pub(super) done: u64,
    /// Tokens that were computed for it.
    pub(super) tokens: u64,
    /// What was done before it began: speed is that of the rest.
    done_before: u64,
    started: Instant,
}

impl Task {
    pub(super) fn new(kind: TaskKind, title: &str, total: u64, done: u64) -> Self {
        let title = visible_line(title).into_owned();
        Self { kind, title, total, done, tokens: 0, done_before: done, started: Instant::now() }
    }

    /// Title, bar, count and speeds in at most `columns`. Speeds go first, the least telling of them
    /// before the others; then title and bar become shorter.
    pub(super) fn line(&self, columns: usize) -> String {
        let count = self.count("/");
        let mut extras = self.speeds();
        let size = |extras: &[String]| extras.iter().map(|extra| 2 + width(extra)).sum::<usize>();
        let fixed = LEAST_BAR + width(&count) + 2;
        while !extras.is_empty() && width(&self.title) + fixed + size(&extras) > columns {
            extras.remove(0);
        }
        let room = columns.saturating_sub(fixed + size(&extras)).max(LEAST_TITLE);
        let title = shortened(&self.title, room, Cut::Middle);
        let room = columns.saturating_sub(width(&title) + 2 + width(&count) + size(&extras));
        let bar = bar(self.share(), room.min(BAR));
        let mut line = format!("{title} {bar} {count}");
        for extra in &extras {
            line += "  ";
            line += extra;
        }
        shortened(&line, columns, Cut::End)
    }

    /// The same for people who read it later, without a bar.
    pub(super) fn plain_line(&self) -> String {
        let mut line = format!("{}: {}", self.title, self.count(" of "));
        for extra in self.speeds() {
            line += ", ";
            line += &extra;
        }
        line
    }

    fn count(&self, of: &str) -> String {
        match self.kind {
            TaskKind::Bytes => format!("{}{of}{}", BinaryBytes(self.done), BinaryBytes(self.total)),
            _ => format!("{}{of}{}", grouped(self.done as usize), grouped(self.total as usize)),
        }
    }

    fn share(&self) -> f64 {
        if self.total == 0 { 1.0 } else { (self.done as f64 / self.total as f64).min(1.0) }
    }

    /// Speeds and the time left, as far as they can be told, the least important first.
    fn speeds(&self) -> Vec<String> {
        let seconds = self.started.elapsed().as_secs_f64().max(1e-3);
        let finished = self.done.saturating_sub(self.done_before);
        let rate = finished as f64 / seconds;
        let mut speeds = Vec::new();
        match self.kind {
            TaskKind::Steps => return speeds,
            TaskKind::Samples => {
                if finished > 0 {
                    speeds.push(format!("{rate:.1} samples/s"));
                }
                speeds.push(format!("{:.0} tokens/s", self.tokens as f64 / seconds));
            }
            TaskKind::Bytes => speeds.push(format!("{}/s", BinaryBytes(rate as u64))),
        }
        if finished > 0 {
            let seconds_left = self.total.saturating_sub(self.done) as f64 / rate;
            let left = Duration::try_from_secs_f64(seconds_left).unwrap_or(Duration::MAX);
            speeds.push(format!("ETA {}", FormattedDuration(left)));
        }
        speeds
    }
}

fn bar(share: f64, columns: usize) -> String {
    let full = (share * columns as f64).floor() as usize;
    "█".repeat(full) + &"░".repeat(columns - full)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_fits_whatever_its_title() {
        for title in [
            "sums · pocket",
            "57 data sets · a model with quite a long name of its own",
            "根".repeat(80).as_str(),
        ] {
            for kind in [TaskKind::Steps, TaskKind::Samples, TaskKind::Bytes] {
                let mut task = Task::new(kind, title, 14_042, 0);
                (task.done, task.tokens) = (7_021, 1_000_000);
                for columns in [40, 59, 60, 79, 80, 200] {
                    let line = task.line(columns);
                    assert!(width(&line) <= columns, "{columns}: {line}");
                    if kind != TaskKind::Bytes {
                        assert!(line.contains("7,021/14,042"), "{columns}: {line}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_phase_is_told_with_its_steps() {
        let mut task = Task::new(TaskKind::Steps, "building prompts", 57, 0);
        task.done = 12;
        let bar = format!("{}{}", "█".repeat(6), "░".repeat(24));
        assert_eq!(task.line(80), format!("building prompts {bar} 12/57"));
        assert_eq!(task.plain_line(), "building prompts: 12 of 57");
        assert_eq!(Task::new(TaskKind::Steps, "a\u{1b}[2J", 0, 0).line(60).find('\u{1b}'), None);
    }
}
