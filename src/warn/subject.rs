//! What checks look at: a data set under a model, and one sample of it.

use std::{
    cell::OnceCell,
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use serde_json::Value as Json;

use super::{answer_start::AnswerStart, fields, own_text::OwnText};
use crate::{
    dataset::Sample,
    infer::{Inferencer, Prepared, PreparedPrompt, Task},
    plan::{DatasetPlan, ModelPlan},
    postprocess::{self, Postprocessor},
    prompt::Markup,
};

/// A data set under a model, if there is one. Remembers what is the same for many samples.
pub(crate) struct Subject<'a> {
    pub(super) dataset: &'a DatasetPlan,
    pub(super) model: Option<&'a ModelPlan>,
    pub(super) markup: &'a Markup,
    pub(super) inferencer: &'a dyn Inferencer,
    pub(super) task: &'a Task<'a>,
    /// Columns that a template fills in.
    pub(super) filled_columns: Vec<String>,
    /// By the shape of a row.
    own_texts: Mutex<HashMap<String, Arc<OwnText>>>,
    /// By the index of a train row: fields that its example leaves unfilled.
    unfilled_in_examples: Vec<OnceLock<Vec<String>>>,
    /// Whether candidates differ in the user's turn.
    pub(super) answers_as_user: OnceLock<bool>,
    /// By what stands at the end of a candidate: where the token begins that its own text begins in.
    token_starts: Mutex<HashMap<InStretch, Option<usize>>>,
}

/// A stretch of text, and a byte in it.
type InStretch = (Box<str>, usize);

/// One sample and what is asked about it.
pub(crate) struct Asked<'a> {
    pub(super) row: &'a Sample,
    pub(super) prepared: &'a Prepared,
    pub(super) start: OnceCell<Option<AnswerStart>>,
}

impl<'a> Subject<'a> {
    /// A data set of which nothing was looked at yet.
    pub(crate) fn new(
        dataset: &'a DatasetPlan,
        model: Option<&'a ModelPlan>,
        markup: &'a Markup,
        inferencer: &'a dyn Inferencer,
        task: &'a Task<'a>,
    ) -> Self {
        let templates = [task.assembly.prompt_template(), task.assembly.ice_template()];
        let texts: Vec<&str> =
            templates.into_iter().flatten().flat_map(|template| template.texts()).collect();
        // Rows of a split have the same columns.
        let mut filled_columns: Vec<String> = Vec::new();
        for (column, _) in
            [task.test, task.train].iter().filter_map(|rows| rows.first()).flat_map(Sample::iter)
        {
            let is_new = !filled_columns.iter().any(|known| known == column);
            if is_new && texts.iter().any(|text| fields::mentions(text, column)) {
                filled_columns.push(column.to_owned());
            }
        }
        Self {
            dataset,
            model,
            markup,
            inferencer,
            task,
            filled_columns,
            own_texts: Mutex::default(),
            unfilled_in_examples: task.train.iter().map(|_| OnceLock::new()).collect(),
            answers_as_user: OnceLock::new(),
            token_starts: Mutex::default(),
        }
    }

    /// A sample of it; none if there is no such sample.
    pub(crate) fn asked(&self, prepared: &'a Prepared) -> Option<Asked<'a>> {
        let row = self.task.test.get(prepared.sample)?;
        Some(Asked { row, prepared, start: OnceCell::new() })
    }

    /// Whether prompts are continued.
    pub(super) fn generates(&self) -> bool {
        self.inferencer.max_new_tokens() > 0
    }

    /// What stands in the place of the output column when the prompt is continued.
    pub(crate) fn mask(&self) -> &'a str {
        self.inferencer.mask().unwrap_or("")
    }

    /// What the templates themselves write for a sample.
    pub(super) fn own_text(&self, asked: &Asked<'_>) -> Arc<OwnText> {
        remembered(&self.own_texts, OwnText::shape(asked.row), || {
            Arc::new(OwnText::of(self, asked))
        })
    }

    /// Where a token begins in a stretch of text; `find` is asked if it is not known.
    pub(super) fn remembered_start(
        &self,
        stretch: &str,
        inside: usize,
        find: impl FnOnce() -> Option<usize>,
    ) -> Option<usize> {
        remembered(&self.token_starts, (stretch.into(), inside), find)
    }

    /// The in-context examples that a sample is shown, each with its index among the train rows.
    pub(super) fn examples(&self, asked: &Asked<'_>) -> Vec<(usize, &'a Sample)> {
        // A chat has no examples; other dialogues never lose theirs.
        if !self.inferencer.shows_examples() || self.task.assembly.ignores_examples() {
            return Vec::new();
        }
        let Some(chosen) = self.task.examples.get(asked.prepared.sample) else { return Vec::new() };
        let shown = chosen.len().saturating_sub(asked.prepared.dropped_examples);
        let rows = chosen.iter().take(shown);
        rows.filter_map(|index| Some((*index, self.task.train.get(*index)?))).collect()
    }

    /// The fields that no column fills in when a train row is shown as an example.
    pub(super) fn unfilled_in_example(&self, index: usize, row: &Sample) -> &[String] {
        let find = || {
            let gold = self.task.output_column.and_then(|column| row.get(column));
            OwnText::unfilled_in_example(self.task.assembly, row, gold.unwrap_or(&Json::Null))
        };
        self.unfilled_in_examples.get(index).map_or(&[], |known| known.get_or_init(find))
    }

    /// The rules that a prediction goes through before it is compared, in order.
    pub(super) fn prediction_rules(&self) -> Vec<&'a dyn Postprocessor> {
        let own = self.model.and_then(|model| model.postprocessor.as_deref());
        own.into_iter().chain(self.dataset.evaluation.prediction_postprocessor.as_deref()).collect()
    }

    /// The gold answer as it is compared; none if there is none, or if its rule fails on it.
    pub(super) fn compared_gold(&self, asked: &Asked<'_>) -> Option<Json> {
        let gold = asked.row.get(self.task.output_column?).filter(|gold| !gold.is_null())?;
        match self.dataset.evaluation.gold_postprocessor.as_deref() {
            Some(rule) => postprocess::apply(rule, gold, asked.row).ok(),
            None => Some(gold.clone()),
        }
    }
}

impl<'a> Asked<'a> {
    /// The prompts of candidates.
    pub(super) fn candidates(&self) -> impl Iterator<Item = &'a PreparedPrompt> + use<'a> {
        self.prepared.prompts.iter().filter(|prompt| prompt.label.is_some())
    }
}

/// What is known under a key, or else what `find` gives, which is then known.
fn remembered<K: Eq + Hash, V: Clone>(
    known: &Mutex<HashMap<K, V>>,
    key: K,
    find: impl FnOnce() -> V,
) -> V {
    let lock = || known.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(value) = lock().get(&key) {
        return value.clone();
    }
    // Not under the lock: others need not wait, and what two find is the same.
    let value = find();
    lock().insert(key, value.clone());
    value
}
