//! Where the time of a model goes, by operation.
//!
//! Only [`recorded`] measures. Elsewhere an operation looks at one thread-local flag and nothing more, so
//! ordinary runs pay nothing and no signature carries a clock. A recorder is on one thread at a time: the
//! one that goes through the model, which waits for the threads that help it. Devices that work through a
//! queue of their own answer before they are done: there a recording either waits after every operation,
//! or its operations say how long it took to ask for them while passes are timed as they run.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use candle_core::Device;

/// A kind of operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Tokens to the first residual stream.
    Embedding,
    /// Norms of any place, those of queries and keys included.
    Norm,
    /// The joined linear map to queries, keys and values.
    QueryKeyValue,
    /// Angles, and turning queries and keys by them.
    Rotary,
    /// Keeping keys and values.
    KeepKeysValues,
    /// Attention itself.
    Attention,
    /// The linear map that ends the attention branch, with the residual sum.
    AttentionOutput,
    /// Choosing experts, sending rows there and adding what comes back.
    Route,
    /// Gate and up of the feed-forward, with the activation.
    GateUp,
    /// Down of the feed-forward, with the residual sum.
    Down,
    /// Logits, and what is made of them.
    Head,
}

impl Operation {
    /// All, in the order in which a pass comes through them.
    pub const ALL: [Self; 11] = [
        Self::Embedding,
        Self::Norm,
        Self::QueryKeyValue,
        Self::Rotary,
        Self::KeepKeysValues,
        Self::Attention,
        Self::AttentionOutput,
        Self::Route,
        Self::GateUp,
        Self::Down,
        Self::Head,
    ];

    /// What it is called in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Embedding => "embedding",
            Self::Norm => "norm",
            Self::QueryKeyValue => "query, key, value",
            Self::Rotary => "rotary",
            Self::KeepKeysValues => "keep keys, values",
            Self::Attention => "attention",
            Self::AttentionOutput => "attention output",
            Self::Route => "route to experts",
            Self::GateUp => "gate, up",
            Self::Down => "down",
            Self::Head => "head",
        }
    }
}

/// What a forward pass is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It reads prompts or texts that are scored; sequences that are being continued may be beside
    /// them.
    Prefill,
    /// It only continues sequences, each by one token.
    Decode,
}

/// Calls, time and arithmetic of one kind of operation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OperationTotals {
    /// How often it ran.
    pub calls: usize,
    /// How long it took together.
    pub time: Duration,
    /// Multiplications and additions of its matrix products, each counted.
    pub flops: f64,
}

/// What the passes of one phase took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PhaseTimings {
    /// Forward passes.
    pub passes: usize,
    /// Their rows.
    pub rows: usize,
    /// Their time, each measured from its start to the start of the next.
    pub time: Duration,
    operations: [OperationTotals; Operation::ALL.len()],
}

impl PhaseTimings {
    /// What one kind of operation took.
    pub fn operation(&self, operation: Operation) -> OperationTotals {
        self.operations[operation as usize]
    }
}

/// What was recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timings {
    phases: [PhaseTimings; 2],
}

impl Timings {
    /// What the passes of a phase took.
    pub fn phase(&self, phase: Phase) -> &PhaseTimings {
        &self.phases[phase as usize]
    }
}

/// A recording that is going on.
struct Recorder {
    timings: Timings,
    /// The pass at hand, and when it began.
    pass: Option<(Phase, Instant)>,
    /// What is waited for after every operation.
    awaited: Option<Device>,
}

impl Recorder {
    fn phase(&mut self) -> &mut PhaseTimings {
        let phase = self.pass.map_or(Phase::Prefill, |(phase, _)| phase);
        &mut self.timings.phases[phase as usize]
    }

    fn end_pass(&mut self, now: Instant) {
        if let Some((phase, begin)) = self.pass.take() {
            self.timings.phases[phase as usize].time += now - begin;
        }
    }
}

thread_local! {
    static IS_RECORDING: Cell<bool> = const { Cell::new(false) };
    static RECORDER: RefCell<Option<Recorder>> = const { RefCell::new(None) };
}

/// Does `work` and tells what the model's operations on this thread took meanwhile, with the work of
/// `awaited` that they ask for. Recordings do not nest: an inner one takes what belongs to it.
pub fn recorded<T>(awaited: Option<Device>, work: impl FnOnce() -> T) -> (T, Timings) {
    let replace = |recorder: Option<Recorder>| {
        IS_RECORDING.set(recorder.is_some());
        RECORDER.replace(recorder)
    };
    let outer = replace(Some(Recorder { timings: Timings::default(), pass: None, awaited }));
    let done = work();
    let timings = replace(outer).map_or_else(Timings::default, |mut recorder| {
        recorder.end_pass(Instant::now());
        recorder.timings
    });
    (done, timings)
}

/// The recording of one thread, taken from it to be continued by another.
pub struct Recording(Option<Recorder>);

impl Recording {
    /// Takes this thread's recording, if there is one.
    pub fn take() -> Self {
        IS_RECORDING.set(false);
        Self(RECORDER.take())
    }

    /// Goes on recording on this thread.
    pub fn go_on(self) {
        IS_RECORDING.set(self.0.is_some());
        RECORDER.set(self.0);
    }
}

/// A forward pass of `rows` rows begins.
pub fn begin_pass(phase: Phase, rows: usize) {
    if !IS_RECORDING.get() {
        return;
    }
    with_recorder(|recorder| {
        let now = Instant::now();
        recorder.end_pass(now);
        recorder.pass = Some((phase, now));
        let phase = recorder.phase();
        phase.passes += 1;
        phase.rows += rows;
    });
}

/// Does `work`, which is one `operation` and takes `flops` multiplications and additions.
pub(super) fn timed<T>(
    operation: Operation,
    flops: impl FnOnce() -> f64,
    work: impl FnOnce() -> T,
) -> T {
    if !IS_RECORDING.get() {
        return work();
    }
    let begin = Instant::now();
    let done = work();
    with_recorder(|recorder| {
        // What a device could not do is told by whoever reads its results.
        let _ = recorder.awaited.as_ref().map(Device::synchronize);
        let time = begin.elapsed();
        let spent = &mut recorder.phase().operations[operation as usize];
        spent.calls += 1;
        spent.time += time;
        spent.flops += flops();
    });
    done
}

/// The count for operations without matrix products.
pub(super) fn no_product() -> f64 {
    0.0
}

/// Multiplications and additions of `rows` rows through a map.
pub(super) fn product_flops(rows: usize, input_size: usize, output_size: usize) -> f64 {
    2.0 * rows as f64 * input_size as f64 * output_size as f64
}

fn with_recorder(act: impl FnOnce(&mut Recorder)) {
    RECORDER.with_borrow_mut(|recorder| {
        if let Some(recorder) = recorder {
            act(recorder);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_belong_to_the_pass_they_run_in() {
        let run = |operation| timed(operation, || 6.0, || ());
        run(Operation::Head);
        let ((), timings) = recorded(None, || {
            begin_pass(Phase::Prefill, 10);
            run(Operation::Norm);
            run(Operation::Norm);
            begin_pass(Phase::Decode, 1);
            run(Operation::Head);
        });
        run(Operation::Norm);
        let calls = |phase, operation| timings.phase(phase).operation(operation).calls;
        assert_eq!(calls(Phase::Prefill, Operation::Norm), 2);
        assert_eq!(calls(Phase::Decode, Operation::Norm), 0);
        assert_eq!(calls(Phase::Decode, Operation::Head), 1);
        assert_eq!(calls(Phase::Prefill, Operation::Head), 0);
        let norm = timings.phase(Phase::Prefill).operation(Operation::Norm);
        assert!((norm.flops - 12.0).abs() < 1e-9);
        assert_eq!(
            (timings.phase(Phase::Prefill).rows, timings.phase(Phase::Decode).rows),
            (10, 1)
        );
    }

    #[test]
    fn every_operation_has_its_own_place() {
        let places: Vec<usize> = Operation::ALL.iter().map(|&one| one as usize).collect();
        assert_eq!(places, (0..Operation::ALL.len()).collect::<Vec<_>>());
    }
}
