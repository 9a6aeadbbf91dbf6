//! Requests sent at their time.
//!
//! Each request that may be under way has a thread of its own, which waits until the request is to be sent, sends it and
//! reads its answer. When a request was to be sent is known before it is, so that the wait for a free thread, and this
//! program's own slowness, are part of what is measured and not left out of it.

use std::{
    sync::{
        OnceLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use super::{
    RequestRecord, ServedBenchError, metronome, prompts::BenchPrompt, token_counts::answer_record,
};
use crate::{
    answer::served::{TimedAnswer, TimedServer},
    model::Tokenizer,
    system,
};

/// From when all threads are there to the start, and how often it is looked whether they are.
const STARTING: Duration = Duration::from_millis(1);

/// The stack of a thread that asks.
const STACK_BYTES: usize = 1 << 20;

/// When requests are to be sent.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Schedule {
    /// Each as soon as one before it is answered.
    OneAfterAnother,
    /// Each at its time, in seconds from the start.
    Times(Vec<f64>),
}

/// What came of the requests of one load.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked {
    pub(super) records: Vec<RequestRecord>,
    /// How late threads woke meanwhile.
    pub(super) woken_late_seconds: Vec<f64>,
    /// Processor seconds of this program for each second of the load, where the system tells.
    pub(super) busy_processors: Option<f64>,
}

/// Who is asked, and how answers are counted.
pub(super) struct Asker<'a> {
    pub(super) server: &'a TimedServer,
    /// What counts the tokens that the server does not count.
    pub(super) tokenizer: Option<&'a Tokenizer>,
}

impl Asker<'_> {
    /// Sends all prompts, at most `at_once` of them under way; `answered` hears of each answer.
    pub(super) fn ask(
        &self,
        prompts: &[BenchPrompt],
        schedule: &Schedule,
        at_once: usize,
        answered: &mut dyn FnMut(),
    ) -> Result<Asked, ServedBenchError> {
        let wanted = at_once.min(prompts.len()).max(1);
        // Each thread has a request of its own to begin with, so that none waits for a thread that is slow to begin.
        let (next, ends) = (AtomicUsize::new(wanted), AtomicBool::new(false));
        let (sender, receiver) = mpsc::channel();
        let (there, begins) = (AtomicUsize::new(0), OnceLock::new());
        let begun_cpu_seconds = system::cpu_seconds();
        let work = |sender: mpsc::Sender<(usize, Asking)>, first: usize| {
            there.fetch_add(1, Ordering::Release);
            let Some(start) = *begins.wait() else { return };
            let (mut index, mut free) = (first, start);
            while let Some(prompt) = prompts.get(index) {
                let asking = self.ask_one(prompt, index, schedule, start, free);
                free = asking.answer.ended;
                if sender.send((index, asking)).is_err() {
                    return;
                }
                index = next.fetch_add(1, Ordering::Relaxed);
            }
        };
        thread::scope(|scope| {
            let (work, ends) = (&work, &ends);
            let metronome = thread::Builder::new().stack_size(STACK_BYTES);
            let metronome = metronome.spawn_scoped(scope, || metronome::late_seconds(ends)).ok();
            let mut started = 0;
            for first in 0..wanted {
                let sender = sender.clone();
                let named = thread::Builder::new().name("served model".to_owned());
                let named = named.stack_size(STACK_BYTES);
                if named.spawn_scoped(scope, move || work(sender, first)).is_err() {
                    break;
                }
                started += 1;
            }
            drop(sender);
            // A thread that the system is slow to begin is not to count as a request that was sent late.
            while there.load(Ordering::Acquire) < started {
                thread::sleep(STARTING);
            }
            let start = Instant::now() + STARTING;
            begins.get_or_init(|| (started == wanted).then_some(start));
            let mut all: Vec<(usize, Asking)> = Vec::with_capacity(prompts.len());
            for asking in receiver {
                all.push(asking);
                answered();
            }
            let seconds = start.elapsed().as_secs_f64();
            let cpu_seconds = system::cpu_seconds();
            ends.store(true, Ordering::Release);
            let woken_late_seconds = metronome.and_then(|own| own.join().ok()).unwrap_or_default();
            if started < wanted {
                return Err(ServedBenchError::Threads { started, wanted });
            }
            all.sort_by_key(|(index, _)| *index);
            let records = all.iter().map(|(_, asking)| self.record(asking, start)).collect();
            let cpu_seconds = cpu_seconds.zip(begun_cpu_seconds).map(|(end, begin)| end - begin);
            let busy_processors = cpu_seconds.map(|own| own / seconds.max(1e-9));
            Ok(Asked { records, woken_late_seconds, busy_processors })
        })
    }

    /// Waits until a prompt is to be sent, and for its answer.
    fn ask_one(
        &self,
        prompt: &BenchPrompt,
        index: usize,
        schedule: &Schedule,
        start: Instant,
        free: Instant,
    ) -> Asking {
        let body = self.server.body(&prompt.text, &prompt.wanted);
        let intended = match schedule {
            Schedule::OneAfterAnother => free,
            Schedule::Times(times) => {
                start + Duration::from_secs_f64(times.get(index).copied().unwrap_or_default())
            }
        };
        let due = intended.max(free);
        thread::sleep(due.saturating_duration_since(Instant::now()));
        Asking { intended, due, answer: self.server.ask(&body, &prompt.wanted) }
    }

    /// Counted after the load, so that counting delays nothing.
    fn record(&self, asking: &Asking, start: Instant) -> RequestRecord {
        let Asking { intended, due, answer } = asking;
        let seconds = |at: Instant| at.saturating_duration_since(start).as_secs_f64();
        let ended_seconds = seconds(answer.ended);
        RequestRecord {
            intended_seconds: seconds(*intended),
            due_seconds: seconds(*due),
            sent_seconds: seconds(answer.sent),
            ended_seconds,
            outcome: match &answer.heard {
                Ok(heard) => Ok(answer_record(heard, ended_seconds, self.tokenizer, seconds)),
                Err(what) => Err(what.clone()),
            },
        }
    }
}

/// A request that was sent.
struct Asking {
    intended: Instant,
    due: Instant,
    answer: TimedAnswer,
}
