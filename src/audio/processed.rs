//! What an audio tower takes.

/// Sound as a processor makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessedAudio {
    /// Log-mel features, the last axis of the shape fastest.
    pub values: Vec<f32>,
    /// `(chunks, bins, frames)`: stretches of one length, the last filled up with silence.
    pub shape: [usize; 3],
    /// Frames of all chunks that begin before the sound ends; those behind them are of the silence.
    pub heard_frames: usize,
    /// Samples behind the end of the only chunk, which have no say.
    pub cut_samples: usize,
}
