//! Two accounts of the same samples, held side by side: where do they part, and why?
//!
//! A figure that another program gives on "the same" benchmark rarely equals ours at once. What differs is a blank, a
//! token at the beginning, an example, a rule; and it is found by putting the prompts and the numbers of both sides next
//! to each other. One side is a kept run; the other is lm-eval's file of samples, OpenCompass's predictions, or another
//! kept run. Each is read into a [`Side`], which knows no format; samples are [paired](pairing) by what they say, and
//! everything after that is a pure function of pairs. Causes are hypotheses, tested one by one on prompts and
//! numbers, and told with what speaks for them.
//!
//! It asks no model, and judges no significance: that is `compare`. Nothing here prints.

mod align;
mod cause;
mod diff_report;
mod error;
mod given;
mod kept_side;
mod likelihood_difference;
mod likeness;
mod lm_eval_samples;
mod message_text;
mod opencompass_predictions;
mod pair;
pub mod pairing;
mod prediction_difference;
mod prompt_difference;
mod run_diff;
mod side;
mod side_settings;
mod token_ids;

pub use self::{
    cause::{Cause, CauseKind},
    diff_report::{DiffReport, FigurePair},
    error::DiffError,
    likelihood_difference::{LargestDifference, LikelihoodDifferences, Quantity},
    lm_eval_samples::lm_eval_side,
    opencompass_predictions::opencompass_side,
    pairing::{Pairing, UnpairedSample},
    prediction_difference::{ChangedPrediction, PredictionDifferences},
    prompt_difference::{PromptDifference, PromptDifferences, TokenDifference},
    run_diff::{DiffOptions, RunDiff, diff},
    side::{Answer, Figure, FigureScale, Likelihoods, Request, Side, SideFormat, SideSample},
    side_settings::SideSettings,
};
