//! The table `candidates`: a line for each text that was scored.

use super::{Cell, ColumnType, DocumentedColumn, ExportedSample};
use crate::{
    infer::{Choice, Normalizer, Outcome},
    python::python_str,
    score,
};

/// The columns.
pub const CANDIDATE_COLUMNS: &[DocumentedColumn] = &[
    ("run", ColumnType::Text, "name of the run"),
    ("model", ColumnType::Text, "short name of the model"),
    ("dataset", ColumnType::Text, "short name of the data set"),
    ("row", ColumnType::Integer, "index of the sample among those of the data set, from 0"),
    ("candidate", ColumnType::Integer, "index among the sample's candidates, from 0"),
    ("label", ColumnType::Text, "its label; null for a text on its own"),
    (
        "is_gold",
        ColumnType::Boolean,
        "whether choosing it is right; null without a label or a gold",
    ),
    ("is_chosen", ColumnType::Boolean, "whether the scoring rule chooses it; null without a label"),
    ("rule", ColumnType::Text, "name of the scoring rule"),
    ("score", ColumnType::Float, "what the scoring rule says of it; the smallest is chosen"),
    ("sum_nll_nats", ColumnType::Float, "sum of -ln p over all scored tokens"),
    ("answer_nll_nats", ColumnType::Float, "sum of -ln p over the tokens of the answer"),
    (
        "mean_nll_nats",
        ColumnType::Float,
        "sum_nll_nats / scored_tokens; null if no token is scored",
    ),
    ("perplexity", ColumnType::Float, "exp(mean_nll_nats)"),
    (
        "oc_ppl",
        ColumnType::Float,
        "what OpenCompass calls PPL, in nats, not exponentiated: sum_nll_nats / tokens; where only a \
         part counts, answer_nll_nats / answer_tokens; with a normalizing text, sum_nll_nats / \
         scored_tokens - normalizing_nll_nats / normalizing_tokens",
    ),
    (
        "normalizing_nll_nats",
        ColumnType::Float,
        "sum of -ln p over the answer after the normalizing text; null without one",
    ),
    (
        "normalizing_tokens",
        ColumnType::Integer,
        "tokens of the answer after the normalizing text; null without one",
    ),
    ("tokens", ColumnType::Integer, "tokens of the text, special tokens included"),
    ("scored_tokens", ColumnType::Integer, "tokens that have a surprisal"),
    (
        "answer_tokens",
        ColumnType::Integer,
        "tokens of the answer: from where the candidates part; of a text on its own, those that count",
    ),
    ("bytes", ColumnType::Integer, "UTF-8 bytes of the text that is read"),
    ("chars", ColumnType::Integer, "characters of the text that is read"),
    (
        "answer",
        ColumnType::Text,
        "the answer as it stands in the text, white space before it included; null without a label",
    ),
    (
        "prompt",
        ColumnType::Text,
        "the text as the predictions file shows it: the whole text, or of a dialogue that is scored on \
         its own, the part before the last answer",
    ),
    ("testing_input", ColumnType::Text, "the text without its in-context examples"),
];

/// The lines of a sample's candidates.
pub(super) fn lines(own: &ExportedSample<'_>) -> Vec<Vec<Cell>> {
    let record = own.record;
    let choice = match &record.outcome {
        Outcome::Scored { candidate, .. } => Choice::single(candidate),
        outcome => match outcome.choice() {
            Some(choice) => choice,
            None => return Vec::new(),
        },
    };
    let scores = own.rule.scores(choice).unwrap_or_default();
    let chosen = score::chosen(own.rule, choice);
    let line = |(index, candidate): (usize, &crate::infer::Candidate)| {
        let label = (!candidate.label.is_null()).then(|| python_str(&candidate.label));
        let (scored_tokens, sum_nll_nats) = (candidate.nlls.len(), candidate.text_nll_nats());
        let mean_nll_nats = (scored_tokens > 0).then(|| sum_nll_nats / scored_tokens as f64);
        let normalizer = candidate.normalizer.as_deref();
        vec![
            own.run.into(),
            own.model.into(),
            own.dataset.into(),
            record.id.into(),
            index.into(),
            label.as_deref().into(),
            label.as_ref().and_then(|_| (own.is_gold)(&candidate.label)).into(),
            label.as_ref().map(|_| chosen == Some(index)).into(),
            own.rule_name.into(),
            scores.get(index).copied().into(),
            sum_nll_nats.into(),
            candidate.answer_nll_nats().into(),
            mean_nll_nats.into(),
            mean_nll_nats.map(f64::exp).into(),
            candidate.ppl().into(),
            normalizer.map(|other| other.sum_nll_nats).into(),
            normalizer.map(Normalizer::answer_token_count).into(),
            candidate.tokens().into(),
            scored_tokens.into(),
            candidate.answer_token_count().into(),
            candidate.bytes.into(),
            candidate.chars.into(),
            label.as_ref().map(|_| candidate.answer()).into(),
            record.readable(&candidate.prompt).as_ref().into(),
            candidate.testing_input.as_str().into(),
        ]
    };
    choice.candidates.iter().enumerate().map(line).collect()
}
