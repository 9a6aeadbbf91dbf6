//! When the phases of passes began and ended, for whoever listens on this thread.
//!
//! Below all rooms, because all of them have a part: the engine plans and hands answers over, the model computes,
//! operations send tables to a device and read from it. It knows no file and no format; `bench` writes both. Where
//! nobody listens a phase looks at one thread-local flag and nothing more.

use std::cell::{Cell, RefCell};
use std::time::Instant;

/// What is done in a span of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassPhase {
    /// The host decides what is computed together.
    Plan,
    /// A device computes a pass: from its launch until its results are there.
    Compute,
    /// The host sends tables to a device, within a pass.
    Upload,
    /// The host waits for numbers of a device and copies them, within a pass.
    Read,
    /// The host hands answers over.
    Write,
}

impl PassPhase {
    /// What it is called in a trace.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Compute => "compute",
            Self::Upload => "upload",
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

/// How much a pass computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassSize {
    /// Tokens that go through the layers.
    pub rows: usize,
    /// Tokens that come out: those that are scored, or chosen.
    pub tokens: usize,
}

/// One phase, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassSpan {
    /// What was done.
    pub phase: PassPhase,
    /// How much, where it was a pass.
    pub size: Option<PassSize>,
    /// When it began.
    pub begin: Instant,
    /// When it ended, never before it began.
    pub end: Instant,
}

thread_local! {
    static IS_LISTENING: Cell<bool> = const { Cell::new(false) };
    static SPANS: RefCell<Option<Vec<PassSpan>>> = const { RefCell::new(None) };
}

/// Does `work` and tells the phases that this thread went through meanwhile, in the order in which they ended.
/// An inner call takes what belongs to it.
pub fn traced<T>(work: impl FnOnce() -> T) -> (T, Vec<PassSpan>) {
    let outer = PassTrace::take();
    PassTrace(Some(Vec::new())).go_on();
    let done = work();
    let spans = PassTrace::take().0.unwrap_or_default();
    outer.go_on();
    (done, spans)
}

/// The trace of one thread, taken from it to be continued by another.
pub struct PassTrace(Option<Vec<PassSpan>>);

impl PassTrace {
    /// Takes this thread's trace, if somebody listens.
    pub fn take() -> Self {
        IS_LISTENING.set(false);
        Self(SPANS.take())
    }

    /// Goes on with it on this thread.
    pub fn go_on(self) {
        IS_LISTENING.set(self.0.is_some());
        SPANS.set(self.0);
    }
}

/// Does `work`, which is `phase`.
pub fn phase<T>(phase: PassPhase, work: impl FnOnce() -> T) -> T {
    span(phase, None, work)
}

/// A pass that is launched and goes on while this thread does other things.
#[derive(Debug)]
pub struct PassClock {
    size: PassSize,
    /// Where somebody listens.
    begin: Option<Instant>,
}

impl PassClock {
    /// Begins where the pass is launched.
    pub fn begin(size: PassSize) -> Self {
        Self { size, begin: IS_LISTENING.get().then(Instant::now) }
    }

    /// Ends where its results are there, or where there are none.
    pub fn end(self) {
        if let Some(begin) = self.begin {
            note(PassPhase::Compute, Some(self.size), begin);
        }
    }
}

/// Does `work`, which computes a pass.
pub fn pass<T>(size: PassSize, work: impl FnOnce() -> T) -> T {
    span(PassPhase::Compute, Some(size), work)
}

fn span<T>(phase: PassPhase, size: Option<PassSize>, work: impl FnOnce() -> T) -> T {
    if !IS_LISTENING.get() {
        return work();
    }
    let begin = Instant::now();
    let done = work();
    note(phase, size, begin);
    done
}

/// Notes a span that ends now.
fn note(phase: PassPhase, size: Option<PassSize>, begin: Instant) {
    let end = Instant::now();
    SPANS.with_borrow_mut(|spans| {
        if let Some(spans) = spans {
            spans.push(PassSpan { phase, size, begin, end });
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_are_told_to_the_call_that_listens_on_any_thread() {
        let size = PassSize { rows: 7, tokens: 2 };
        phase(PassPhase::Plan, || ());
        let (inner, spans) = traced(|| {
            phase(PassPhase::Plan, || ());
            let trace = PassTrace::take();
            let trace = std::thread::spawn(move || {
                trace.go_on();
                pass(size, || phase(PassPhase::Read, || ()));
                PassTrace::take()
            });
            trace.join().unwrap().go_on();
            traced(|| phase(PassPhase::Write, || ())).1
        });
        let clock = PassClock::begin(size);
        phase(PassPhase::Plan, || ());
        clock.end();
        let ((), launched) = traced(|| {
            let clock = PassClock::begin(size);
            phase(PassPhase::Plan, || ());
            clock.end();
        });
        let phases = |spans: &[PassSpan]| spans.iter().map(|span| span.phase).collect::<Vec<_>>();
        assert_eq!(phases(&spans), [PassPhase::Plan, PassPhase::Read, PassPhase::Compute]);
        assert_eq!(phases(&inner), [PassPhase::Write]);
        assert_eq!(phases(&launched), [PassPhase::Plan, PassPhase::Compute]);
        assert_eq!(launched[1].size, Some(size));
        assert!(launched[1].begin <= launched[0].begin && launched[0].end <= launched[1].end);
        assert_eq!(spans[2].size, Some(size));
        let (read, compute) = (spans[1], spans[2]);
        assert!(compute.begin <= read.begin && read.end <= compute.end);
    }
}
