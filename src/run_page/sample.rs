//! A sample of a kept run as the page shows it, all but its tokens.

use indexmap::IndexMap;
use serde_json::Value as Json;

use super::{
    answered::{self, AnsweredText, finite},
    chain_stages::ChainStages,
    extraction::extracted,
    row_text::row_text,
};
use crate::{
    evaluate::{Row, Unit},
    infer::{Candidate, Choice, Continued, Outcome, Record},
    kept_run::{evaluation::UnitEvaluation, kept_sample::KeptSample, run::KeptUnit},
    python::python_str,
    report::page::{Column, Flags, Note, NoteSeverity, Sample},
    score::{self, Closeness, Rule},
    store::ScoreRow,
    warn::{Severity, WarningCount},
};

/// A share of a sample from here on is right.
const RIGHT_FROM: f64 = 0.5;

/// What samples are read with.
pub(super) struct UnitSamples<'u> {
    pub(super) unit: &'u KeptUnit,
    /// What the stages up to the unit's have said.
    pub(super) stages: &'u ChainStages,
    /// They.
    pub(super) kept: &'u [KeptSample],
    /// How they are evaluated.
    pub(super) evaluation: UnitEvaluation<'u>,
    /// What is odd about the unit's samples.
    pub(super) warnings: Vec<&'u WarningCount>,
    /// Whether the columns of rows are shown.
    pub(super) with_columns: bool,
    /// Whether what a rule has asked in other ways is shown.
    pub(super) with_counterparts: bool,
}

/// The figures that samples can be sorted by.
pub(super) fn figure_columns(score_unit: &str) -> Vec<Column> {
    let column = |name: &str, title: &str, unit: &str| Column {
        name: name.to_owned(),
        title: title.to_owned(),
        unit: unit.to_owned(),
    };
    vec![
        column("margin", "margin of the gold answer", score_unit),
        column("gold_nll", "nll of the gold answer", "nats"),
        column("mean_nll", "mean nll of the text", "nats_per_token"),
        column("reply_tokens", "tokens of the reply", "tokens"),
    ]
}

impl UnitSamples<'_> {
    /// The sample with this index among the unit's, and its texts.
    pub(super) fn sample<'k>(
        &self,
        index: usize,
        kept: &'k KeptSample,
    ) -> (Sample, Vec<AnsweredText<'k>>) {
        let unit = self.unit;
        let (evaluation, rule) = (&self.evaluation, self.evaluation.rule());
        let KeptSample { sample: row, record, .. } = kept;
        let is_gold = |own: &Candidate| evaluation.is_gold(kept, &own.label) == Some(true);
        let compared = evaluation.compared(kept);
        let gold = record.gold.as_ref().filter(|gold| !gold.is_null()).map(python_str);
        let prediction = prediction(rule, record);
        let mut texts = answered::texts(record, rule, &is_gold, self.with_counterparts);
        let answer = compared.as_ref().map(|row| python_str(&row.prediction));
        if let (Outcome::Generated { continuation, .. }, Some(answer), [text]) =
            (&record.outcome, &answer, texts.as_mut_slice())
        {
            text.about.extracted = extracted(kept, &continuation.text, answer, evaluation);
        }
        let warnings = self.warnings_of(record.id);
        let mut flags = verdict(&unit.scores, index, record);
        if warnings.iter().any(|note| note.severity == NoteSeverity::Warning) {
            flags |= Flags::WARNED;
        }
        if let Some(choice) = record.outcome.choice() {
            let noise_nats = score::noise_nats(&unit.facts.dtype);
            flags |= match score::closeness(rule, choice, noise_nats) {
                None | Some(Closeness::Clear) => Flags::default(),
                Some(Closeness::NearTie) => Flags::NEAR_TIE,
                Some(Closeness::Tie) => Flags::TIE | Flags::NEAR_TIE,
            };
        }
        let error = match &record.outcome {
            Outcome::Failed { error } => Some(error.clone()),
            _ => None,
        };
        let sample = Sample {
            row: u32::try_from(record.id).unwrap_or(u32::MAX),
            flags,
            compared: compared
                .map(|row| both(&row))
                .filter(|[compared_gold, own]| (compared_gold, own) != (&gold, &prediction)),
            gold,
            prediction,
            line: row_text(row, &unit.facts.input_columns),
            stages: self.stages.of_sample(index),
            figures: figures(rule, &record.outcome, &is_gold),
            error,
            warnings,
            scores: unit.scores.iter().map(|own| scored(own, index)).collect(),
            dropped_examples: record.dropped_examples,
            truncated_tokens: record.truncated_tokens,
            columns: if self.with_columns { hidden_columns(kept) } else { IndexMap::new() },
            facts: IndexMap::new(),
            texts: Vec::new(),
        };
        (sample, texts)
    }

    /// What is odd about a sample. Words are about the first one that it was found in.
    fn warnings_of(&self, sample: usize) -> Vec<Note> {
        let note = |count: &&WarningCount| {
            let field = count.field.as_ref().map(|field| format!(" {field}")).unwrap_or_default();
            let from = match count.first_sample {
                first if first == sample => String::new(),
                first => format!(" (the words are about row {first})"),
            };
            let severity = match count.severity {
                Severity::Warning => NoteSeverity::Warning,
                Severity::Note => NoteSeverity::Note,
            };
            Note { severity, message: format!("{}{field}: {}{from}", count.kind, count.message) }
        };
        self.warnings.iter().filter(|count| count.samples.contains(sample)).map(note).collect()
    }
}

/// Right, wrong or failed; nothing where no share says.
fn verdict(scores: &[ScoreRow], index: usize, record: &Record) -> Flags {
    if matches!(record.outcome, Outcome::Failed { .. }) {
        return Flags::FAILED;
    }
    let share = scores.iter().find(|row| {
        let unit = serde_json::from_str::<Json>(&row.facts).ok();
        let unit = unit.and_then(|facts| serde_json::from_value(facts.get("unit")?.clone()).ok());
        unit == Some(Unit::Percent)
    });
    match share.and_then(|row| row.scores.get(index)) {
        Some(score) if *score > RIGHT_FROM => Flags::RIGHT,
        Some(score) if *score <= RIGHT_FROM => Flags::WRONG,
        _ => Flags::default(),
    }
}

fn scored(row: &ScoreRow, index: usize) -> (String, Option<f64>) {
    let score = row.scores.get(index).and_then(|score| finite(*score, 6));
    (row.metric.clone(), score)
}

/// Gold and prediction as the metric compares them.
fn both(row: &Row<'_>) -> [Option<String>; 2] {
    [&row.reference, &row.prediction].map(|own| (!own.is_null()).then(|| python_str(own)))
}

/// The chosen label or what was generated; of a dialogue all replies.
fn prediction(rule: &dyn Rule, record: &Record) -> Option<String> {
    match &record.outcome {
        Outcome::Dialogue { exchanges, .. } => {
            let replies: Vec<&str> =
                exchanges.iter().map(|own| own.continuation.text.as_str()).collect();
            match replies.as_slice() {
                [only] => Some((*only).to_owned()),
                _ => Some(serde_json::to_string(&replies).unwrap_or_default()),
            }
        }
        _ => score::prediction(rule, record).map(|value| python_str(&value)),
    }
}

/// A candidate and what the rule says of it.
type Scored<'c> = (&'c Candidate, f64);

/// A number for each of [`figure_columns`].
fn figures(
    rule: &dyn Rule,
    outcome: &Outcome,
    is_gold: &dyn Fn(&Candidate) -> bool,
) -> Vec<Option<f32>> {
    let (mut margin, mut gold_nll, mut mean_nll, mut reply_tokens) = (None, None, None, None);
    match outcome {
        Outcome::Ranked { form, candidates, counterparts, .. } => {
            let choice = Choice { form: *form, candidates, counterparts };
            let scores = rule.scores(choice).unwrap_or_default();
            let (golds, others): (Vec<Scored<'_>>, Vec<Scored<'_>>) =
                candidates.iter().zip(scores).partition(|(own, _)| is_gold(own));
            let best = |all: &[Scored<'_>]| all.iter().map(|own| own.1).min_by(f64::total_cmp);
            margin = best(&others).zip(best(&golds)).map(|(other, gold)| other - gold);
            gold_nll = match golds.as_slice() {
                [(only, _)] => Some(only.answer_nll_nats()),
                _ => None,
            };
        }
        Outcome::Scored { candidate, .. } if !candidate.nlls.is_empty() => {
            mean_nll = Some(candidate.text_nll_nats() / candidate.nlls.len() as f64);
        }
        Outcome::Generated { continuation, .. } => {
            reply_tokens = continuation.new_tokens().map(|own| own as f64);
        }
        Outcome::Sampled { continuations, .. } => {
            let tokens: Option<usize> = continuations.iter().map(Continued::new_tokens).sum();
            reply_tokens = tokens.map(|own| own as f64);
        }
        Outcome::Dialogue { exchanges, .. } => {
            let tokens: Option<usize> =
                exchanges.iter().map(|own| own.continuation.new_tokens()).sum();
            reply_tokens = tokens.map(|own| own as f64);
        }
        Outcome::Scored { .. }
        | Outcome::Windows { .. }
        | Outcome::Given { .. }
        | Outcome::Retrieved { .. }
        | Outcome::Failed { .. } => {}
    }
    [margin, gold_nll, mean_nll, reply_tokens].map(|own| own.map(|own| own as f32)).to_vec()
}

/// The columns of the row that no text shows.
fn hidden_columns(kept: &KeptSample) -> IndexMap<String, Json> {
    let shown = match &kept.record.outcome {
        Outcome::Ranked { candidates, .. } => candidates.first().map(|own| own.prompt.as_str()),
        Outcome::Scored { candidate, .. } => Some(candidate.prompt.as_str()),
        Outcome::Generated { prompt, .. } | Outcome::Sampled { prompt, .. } => {
            Some(prompt.as_str())
        }
        Outcome::Dialogue { exchanges, .. } => exchanges.last().map(|own| own.prompt.as_str()),
        Outcome::Retrieved { query, .. } => Some(query.as_str()),
        Outcome::Windows { .. } | Outcome::Given { .. } | Outcome::Failed { .. } => None,
    };
    let is_shown = |value: &Json| match value {
        Json::String(text) => shown.is_some_and(|shown| shown.contains(text.as_str())),
        _ => false,
    };
    let columns = kept.sample.iter().filter(|(_, value)| !is_shown(value));
    columns.map(|(name, value)| (name.to_owned(), value.clone())).collect()
}
