//! The table `candidates`: a line for each text that was scored.

use super::{Cell, ColumnType, DocumentedColumn, ExportedSample};
use crate::{infer::Outcome, python::python_str, score};

/// The columns.
pub const CANDIDATE_COLUMNS: &[DocumentedColumn] = &[
    ("run", ColumnType::Text, "name of the run"),
    ("model", ColumnType::Text, "short name of the model"),
    ("dataset", ColumnType::Text, "short name of the data set"),
    ("row", ColumnType::Integer, "index of the sample in the test split, from 0"),
    ("candidate", ColumnType::Integer, "index among the sample's candidates, from 0"),
    ("label", ColumnType::Text, "its label; null for a text on its own"),
    ("is_gold", ColumnType::Boolean, "whether its label is the right answer; null without a label"),
    ("is_chosen", ColumnType::Boolean, "whether the scoring rule chooses it; null without a label"),
    ("score", ColumnType::Float, "what the scoring rule says of it; the smallest is chosen"),
    ("sum_nll_nats", ColumnType::Float, "sum of -ln p over all scored tokens"),
    ("answer_nll_nats", ColumnType::Float, "sum of -ln p over the tokens of the answer"),
    ("mean_nll_nats", ColumnType::Float, "sum_nll_nats / scored_tokens"),
    ("perplexity", ColumnType::Float, "exp(mean_nll_nats)"),
    (
        "oc_ppl",
        ColumnType::Float,
        "what OpenCompass calls PPL: sum_nll_nats / tokens, in nats, not exponentiated",
    ),
    ("tokens", ColumnType::Integer, "tokens of the text, special tokens included"),
    ("scored_tokens", ColumnType::Integer, "tokens that have a surprisal"),
    ("answer_tokens", ColumnType::Integer, "tokens of the answer: from where the candidates part"),
    ("bytes", ColumnType::Integer, "UTF-8 bytes of the text"),
    ("chars", ColumnType::Integer, "characters of the text"),
    ("prompt", ColumnType::Text, "the whole text"),
    ("testing_input", ColumnType::Text, "the text without its in-context examples"),
];

/// The lines of a sample's candidates.
pub(super) fn lines(own: &ExportedSample<'_>) -> Vec<Vec<Cell>> {
    let record = own.record;
    let (candidates, chosen) = match &record.outcome {
        Outcome::Ranked { candidates, .. } => {
            (candidates.as_slice(), score::chosen(own.rule, candidates))
        }
        Outcome::Scored { candidate } => (std::slice::from_ref(candidate), None),
        _ => return Vec::new(),
    };
    let gold = record.gold.as_ref().map(python_str);
    let line = |(index, candidate): (usize, &crate::infer::Candidate)| {
        let label = (!candidate.label.is_null()).then(|| python_str(&candidate.label));
        let scored_tokens =
            candidate.counted.as_ref().map_or(candidate.nlls.len(), |part| part.tokens);
        let mean_nll_nats = candidate.sum_nll_nats / scored_tokens.max(1) as f64;
        vec![
            own.run.into(),
            own.model.into(),
            own.dataset.into(),
            record.id.into(),
            index.into(),
            label.as_deref().into(),
            label.as_ref().map(|label| gold.as_ref() == Some(label)).into(),
            label.as_ref().map(|_| chosen == Some(index)).into(),
            own.rule.score(candidate).into(),
            candidate.sum_nll_nats.into(),
            candidate.answer_nll_nats().into(),
            mean_nll_nats.into(),
            mean_nll_nats.exp().into(),
            candidate.ppl().into(),
            candidate.tokens().into(),
            scored_tokens.into(),
            candidate.answer_tokens.len().into(),
            candidate.bytes.into(),
            candidate.chars.into(),
            candidate.prompt.as_str().into(),
            candidate.testing_input.as_str().into(),
        ]
    };
    candidates.iter().enumerate().map(line).collect()
}
