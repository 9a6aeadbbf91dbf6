//! The table `tokens`: a line for each token of what was scored or continued.

use super::{Cell, ColumnType, DocumentedColumn, ExportedSample};
use crate::{
    infer::{Candidate, Continued, Outcome},
    python::python_str,
};

/// The columns.
pub const TOKEN_COLUMNS: &[DocumentedColumn] = &[
    ("run", ColumnType::Text, "name of the run"),
    ("model", ColumnType::Text, "short name of the model"),
    ("dataset", ColumnType::Text, "short name of the data set"),
    ("row", ColumnType::Integer, "index of the sample among those of the data set, from 0"),
    (
        "candidate",
        ColumnType::Integer,
        "index of the candidate, or of the turn of a dialogue, from 0",
    ),
    ("label", ColumnType::Text, "the candidate's label; null where there is none"),
    ("is_gold", ColumnType::Boolean, "whether choosing the candidate is right; null as there"),
    ("position", ColumnType::Integer, "index of the token in its text, from 0"),
    ("id", ColumnType::Integer, "id in the vocabulary; null for a model behind a server"),
    ("text", ColumnType::Text, "what the token adds to the text; a part of a character is U+FFFD"),
    (
        "nll_nats",
        ColumnType::Float,
        "-ln p(token | tokens before); null for tokens that were not scored",
    ),
    (
        "is_likeliest",
        ColumnType::Boolean,
        "whether no token is likelier there, and of equally likely ones none has a lower id; null for tokens \
         that were not scored",
    ),
    ("is_answer", ColumnType::Boolean, "whether the token belongs to the answer, or was generated"),
];

/// The lines of a sample's tokens.
pub(super) fn lines(own: &ExportedSample<'_>) -> Vec<Vec<Cell>> {
    match &own.record.outcome {
        Outcome::Ranked { candidates, .. } => {
            candidates.iter().enumerate().flat_map(|(index, one)| scored(own, index, one)).collect()
        }
        Outcome::Scored { candidate, .. } => scored(own, 0, candidate),
        Outcome::Windows { windows, .. } => {
            windows.iter().enumerate().flat_map(|(index, one)| scored(own, index, one)).collect()
        }
        Outcome::Generated { continuation, .. } => continued(own, 0, continuation),
        Outcome::Sampled { continuations, .. } => continuations
            .iter()
            .enumerate()
            .flat_map(|(answer, continuation)| continued(own, answer, continuation))
            .collect(),
        Outcome::Dialogue { exchanges, .. } => exchanges
            .iter()
            .enumerate()
            .flat_map(|(turn, exchange)| continued(own, turn, &exchange.continuation))
            .collect(),
        Outcome::Given { .. } | Outcome::Retrieved { .. } | Outcome::Failed { .. } => Vec::new(),
    }
}

fn scored(own: &ExportedSample<'_>, index: usize, candidate: &Candidate) -> Vec<Vec<Cell>> {
    let label = (!candidate.label.is_null()).then(|| python_str(&candidate.label));
    let is_gold = label.as_ref().and_then(|_| (own.is_gold)(&candidate.label));
    let first = candidate.first_target();
    let line = |(position, id): (usize, &u32)| {
        let nll = position.checked_sub(first).and_then(|place| candidate.nlls.get(place));
        let said = (nll.copied(), candidate.is_likeliest(position));
        let is_answer = candidate.is_answer(position);
        let spelled = Spelled::Id(*id);
        token(own, index, (label.as_deref(), is_gold), position, spelled, said, is_answer)
    };
    if let Some(served) = &candidate.served {
        let line = |(position, text): (usize, &String)| {
            let nll = position.checked_sub(first).and_then(|place| candidate.nlls.get(place));
            let said = (nll.copied(), candidate.is_likeliest(position));
            let is_answer = candidate.knows_answer() && candidate.is_answer(position);
            let spelled = Spelled::Text(text);
            token(own, index, (label.as_deref(), is_gold), position, spelled, said, is_answer)
        };
        return served.texts.iter().enumerate().map(line).collect();
    }
    candidate.ids.iter().enumerate().map(line).collect()
}

fn continued(own: &ExportedSample<'_>, turn: usize, continuation: &Continued) -> Vec<Vec<Cell>> {
    let prompt_tokens = continuation.prompt_ids.len();
    let ids = continuation.prompt_ids.iter().chain(&continuation.ids);
    ids.enumerate()
        .map(|(position, id)| {
            let is_answer = position >= prompt_tokens;
            token(own, turn, (None, None), position, Spelled::Id(*id), (None, None), is_answer)
        })
        .collect()
}

/// A token by its id, or by what it spells where a server tells no ids.
#[derive(Clone, Copy)]
enum Spelled<'t> {
    Id(u32),
    Text(&'t str),
}

fn token(
    own: &ExportedSample<'_>,
    candidate: usize,
    (label, is_gold): (Option<&str>, Option<bool>),
    position: usize,
    spelled: Spelled<'_>,
    (nll, is_likeliest): (Option<f32>, Option<bool>),
    is_answer: bool,
) -> Vec<Cell> {
    let (id, text) = match spelled {
        Spelled::Id(id) => (Cell::Integer(i64::from(id)), (own.token_text)(id).as_deref().into()),
        Spelled::Text(text) => (Cell::Null, Some(text).into()),
    };
    vec![
        own.run.into(),
        own.model.into(),
        own.dataset.into(),
        own.record.id.into(),
        candidate.into(),
        label.into(),
        is_gold.into(),
        position.into(),
        id,
        text,
        nll.map(f64::from).into(),
        is_likeliest.into(),
        is_answer.into(),
    ]
}
