//! The Prompt Viewer: a sample's prompts as values, with where every character and token comes from
//! and what about them costs accuracy silently.
//!
//! The prompts are those of a run, made by the same inferencer; [`origin`](crate::origin) then finds out where
//! their text comes from, `difference` where candidates part. What is odd about them is found by the checks
//! that a run counts ([`warn`](crate::warn)). Nothing here prints.

mod difference;
mod images;
mod other_ways;
mod picks;
mod sample_viewer;
mod tokens;

use std::{ops::ControlFlow, path::Path};

use jiff::civil::DateTime;
use serde::Serialize;

pub use difference::FirstDifference;
pub use images::ViewedImage;
pub use picks::ViewPicks;
pub use tokens::{SectionSize, ViewedToken};

use self::sample_viewer::SampleViewer;
pub use crate::origin::{PieceKind, TracedPiece};
use crate::{
    model::Tokenizer,
    plan::{DatasetPlan, ModelPlan, PlanError, RunPlan},
    prepare::{
        CheckpointModels, LoadedDataset, ModelMarkup, ModelTokenizer, PassageSearches,
        PrepareError, Progress, RowSources, chat_failed, max_seq_len_tokens,
    },
    prompt::Markup,
    registry::Pattern,
    warn::Warning,
};

/// The prompts of one sample of a data set under a model.
#[derive(Debug, Serialize)]
pub struct PromptView {
    /// The data set.
    pub dataset: String,
    /// The model; none if the config has none.
    pub model: Option<String>,
    /// Index in the test split.
    pub sample: usize,
    /// `ppl` or `gen`.
    pub mode: &'static str,
    /// The answer that is expected, as text.
    pub gold: Option<String>,
    /// The column that is not shown to the model, if one is hidden.
    pub masked_column: Option<String>,
    /// In-context examples in the prompt.
    pub examples: usize,
    /// In-context examples that did not fit.
    pub dropped_examples: usize,
    /// Most tokens of a prompt; unknown without a tokenizer.
    pub max_seq_len_tokens: Option<usize>,
    /// Most tokens that are generated after it; 0 when it is scored.
    pub max_new_tokens: usize,
    /// Where candidates begin to differ.
    pub first_difference: Option<FirstDifference>,
    /// What is odd, worst first.
    pub warnings: Vec<Warning>,
    /// One per candidate, or a single one.
    pub prompts: Vec<ViewedPrompt>,
}

impl PromptView {
    /// The prompts, without those that ask a candidate in another way.
    pub fn candidates(&self) -> impl Iterator<Item = &ViewedPrompt> {
        self.prompts.iter().filter(|prompt| prompt.asked_as.is_none())
    }
}

/// One text.
#[derive(Debug, Serialize)]
pub struct ViewedPrompt {
    /// Which candidate it is.
    pub label: Option<String>,
    /// In which other way that candidate is asked once more, as the scoring rule or the inferencer wants it, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked_as: Option<String>,
    /// The text without the model's markup.
    pub without_markup: String,
    /// The text that the model reads.
    pub text: String,
    /// Its tokens, special tokens included, before any is cut; unknown without a tokenizer.
    pub token_count: Option<usize>,
    /// Tokens cut off to fit the context.
    pub truncated_tokens: usize,
    /// Index of the first of them.
    pub truncated_from_token: Option<usize>,
    /// The first token whose surprisal counts; none when the text is continued and not scored.
    pub scored_from_token: Option<usize>,
    /// How long each section is.
    pub sections: Vec<SectionSize>,
    /// What the text is made of; their texts one after another are `text`.
    pub pieces: Vec<TracedPiece>,
    /// Its tokens; unknown without a tokenizer.
    pub tokens: Option<Vec<ViewedToken>>,
    /// The images that it shows, in order; their tokens are unknown without a tokenizer, and there are none here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<ViewedImage>,
}

/// Hears of a view, with the tokenizer that has divided its texts; it breaks off when no more are wanted.
pub type Viewer<'v> = dyn FnMut(PromptView, Option<&Tokenizer>) -> ControlFlow<()> + 'v;

/// Gives the picked prompts to `show`, model by model, until it breaks off. `now` is what chat
/// templates are told; what retrievers ask models is kept in the store of `folder`. Checkpoints are only asked for their tokenizer; `progress` hears of those that cannot be.
pub fn view(
    plan: &RunPlan,
    picks: &ViewPicks,
    folder: &Path,
    now: DateTime,
    progress: &dyn Progress,
    show: &mut Viewer<'_>,
) -> Result<(), PrepareError> {
    let datasets = picked("data set", picks.dataset.as_ref(), &plan.datasets, |plan| &plan.abbr)?;
    let models = picked("model", picks.model.as_ref(), &plan.models, |plan| &plan.abbr)?;
    let answering = CheckpointModels::new(Some(folder), progress);
    let chosen = datasets.iter().copied();
    let searches = PassageSearches::default();
    let sources = RowSources { models: &answering, searches: &searches };
    let loaded = LoadedDataset::load_all(chosen, None, sources, progress, &|| ())?;
    let datasets: Vec<(&DatasetPlan, &LoadedDataset)> = datasets.into_iter().zip(&loaded).collect();
    let mut labels = LabelPick { wanted: picks.label.as_deref(), found: false, others: Vec::new() };
    let mut show_all = |viewer: &SampleViewer<'_>| -> Result<ControlFlow<()>, PrepareError> {
        for (dataset, loaded) in &datasets {
            let samples = picks.sample.map_or(0..loaded.rows.test.len(), |one| one..one + 1);
            for sample in samples {
                let Some(view) = labels.of(viewer.view(dataset, loaded, sample)?) else { continue };
                let tokenizer = viewer.tokenizer.map(ModelTokenizer::tokenizer);
                if show(view, tokenizer).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    };
    if models.is_empty() {
        progress.note("the config has no model: texts are shown without markup and not counted");
        let _ = show_all(&SampleViewer::without_tokenizer(None, &Markup::Lines))?;
    }
    for model in models {
        if show_under(model, now, progress, &mut show_all)?.is_break() {
            return Ok(());
        }
    }
    Ok(labels.check()?)
}

/// Shows all samples under a model: with its tokenizer, or without if its checkpoint cannot be opened.
fn show_under(
    model: &ModelPlan,
    now: DateTime,
    progress: &dyn Progress,
    show_all: &mut dyn FnMut(&SampleViewer<'_>) -> Result<ControlFlow<()>, PrepareError>,
) -> Result<ControlFlow<()>, PrepareError> {
    if model.served.is_some() {
        let markup = ModelMarkup::served(model);
        let own = SampleViewer::without_tokenizer(Some(model), &model.markup);
        return show_all(&SampleViewer { render: &markup, ..own });
    }
    let checkpoint = match model.open(progress) {
        Ok(checkpoint) => checkpoint,
        Err(error) => {
            progress.note(&format!("model {}: no token counts: {error}", model.abbr));
            let markup = match &model.markup {
                Markup::Chat(_) => &Markup::Lines,
                own => own,
            };
            return show_all(&SampleViewer::without_tokenizer(Some(model), markup));
        }
    };
    let (markup, _) =
        ModelMarkup::new(model, &checkpoint, now).map_err(|source| chat_failed(model, source))?;
    show_all(&SampleViewer {
        model: Some(model),
        markup: &model.markup,
        render: &markup,
        tokenizer: Some(&ModelTokenizer::of(&checkpoint, model)),
        max_seq_len_tokens: max_seq_len_tokens(model, &checkpoint),
    })
}

/// The plans whose names match.
fn picked<'a, T>(
    what: &'static str,
    pattern: Option<&Pattern>,
    plans: &'a [T],
    name: impl Fn(&T) -> &String,
) -> Result<Vec<&'a T>, PlanError> {
    let chosen: Vec<&T> = plans
        .iter()
        .filter(|plan| pattern.is_none_or(|pattern| pattern.matches(name(plan))))
        .collect();
    match pattern {
        Some(pattern) if chosen.is_empty() => Err(PlanError::NoSuch {
            what,
            pattern: pattern.written().to_owned(),
            names: plans.iter().map(|plan| name(plan).as_str()).collect::<Vec<_>>().join(", "),
        }),
        _ => Ok(chosen),
    }
}

/// The candidate that is looked for.
struct LabelPick<'a> {
    wanted: Option<&'a str>,
    found: bool,
    others: Vec<String>,
}

impl LabelPick<'_> {
    /// The view with the wanted candidate alone, if it has it.
    fn of(&mut self, mut view: PromptView) -> Option<PromptView> {
        let Some(wanted) = self.wanted else { return Some(view) };
        for label in view.prompts.iter().filter_map(|prompt| prompt.label.as_ref()) {
            if !self.others.contains(label) {
                self.others.push(label.clone());
            }
        }
        view.prompts.retain(|prompt| prompt.label.as_deref() == Some(wanted));
        self.found |= !view.prompts.is_empty();
        (!view.prompts.is_empty()).then_some(view)
    }

    fn check(self) -> Result<(), PlanError> {
        match self.wanted {
            Some(wanted) if !self.found => Err(PlanError::NoSuch {
                what: "candidate",
                pattern: wanted.to_owned(),
                names: if self.others.is_empty() {
                    "none".to_owned()
                } else {
                    self.others.join(", ")
                },
            }),
            _ => Ok(()),
        }
    }
}
