//! How many tokens a run may compute, found before weights are read.
//!
//! Counted is what the store has no answer to, as the engine will compute it: what questions have in common once. Of
//! a continuation nobody knows the length before, so it counts as long as it may get.

use std::collections::HashSet;

use super::{RunOptions, identity::KnownModel};
use crate::{
    answer::{Question, QuestionKey},
    engine::plan::{PathEnd, PrefixTree, TokenPath},
    infer::Prepared,
    kept_run::RunError,
    model::spec::{DecoderSpec, Reach},
    prepare::{ReadyModel, ReadyRun},
    report::grouped,
    store::Store,
};

/// An upper bound of the tokens that all models come to compute.
pub(super) fn most_tokens(
    ready: &ReadyRun<'_>,
    models: &[KnownModel],
    options: &RunOptions,
    store: &Store,
) -> Result<usize, RunError> {
    let mut tokens = 0;
    for (model, known) in ready.models.iter().zip(models) {
        if known.identity.is_served {
            return Err(RunError::NotServed {
                model: model.plan.abbr.clone(),
                what: "its tokens cannot be counted before it is asked, so no budget can be kept; leave the budget out",
            });
        }
        let questions = unanswered(model, known, options, store)?;
        let spec = model.source.needed(model.plan)?.spec();
        let own = tree_tokens(spec, &questions) + continued_tokens(spec, &questions);
        // What questions share is computed on every device that has some of them.
        let apart: usize = questions.iter().map(|question| question.ids().len()).sum();
        let apart = apart + continued_tokens(spec, &questions);
        tokens += (own * options.devices.len().max(1)).min(apart.max(own));
    }
    Ok(tokens)
}

/// What is said of it before anything is asked.
pub(super) fn line(tokens: usize) -> String {
    match tokens {
        0 => "every answer is known: no tokens to compute".to_owned(),
        tokens => format!("at most {} tokens to compute", grouped(tokens)),
    }
}

/// Every question that has no answer yet, once.
fn unanswered(
    model: &ReadyModel<'_>,
    known: &KnownModel,
    options: &RunOptions,
    store: &Store,
) -> Result<Vec<Question>, RunError> {
    let mut seen: HashSet<QuestionKey> = HashSet::new();
    let mut questions = Vec::new();
    for unit in &model.units {
        for prompt in unit.samples.iter().flat_map(Prepared::all_prompts) {
            let question = unit.inferencer.question(prompt);
            let key = question.key(&known.identity);
            if seen.insert(key) && (options.is_fresh || store.answer(&key)?.is_none()) {
                questions.push(question);
            }
        }
    }
    Ok(questions)
}

/// Rows for the prompts alone.
fn tree_tokens(spec: &DecoderSpec, questions: &[Question]) -> usize {
    let mut tokens = 0;
    // Scores and continuations are asked apart, and sequences of different reach share nothing.
    for path_end in [PathEnd::Target, PathEnd::Row] {
        for reach in [Reach::Native, Reach::Stretched] {
            let own = questions.iter().filter(|question| {
                let is_score = matches!(question, Question::Score(_));
                is_score == (path_end == PathEnd::Target)
                    && spec.reach(question.ids().len()) == reach
            });
            let paths: Vec<TokenPath<'_>> = own
                .map(|question| {
                    let first_target = match question {
                        Question::Score(request) => request.first_target,
                        Question::Generate(_) | Question::Served(_) => 0,
                    };
                    TokenPath::of_tokens(question.ids(), first_target)
                })
                .collect();
            if !paths.is_empty() {
                tokens += PrefixTree::new(paths, path_end).computed_tokens();
            }
        }
    }
    tokens
}

/// Most tokens that are written. A continuation that may cross the border from where on longer sequences are
/// computed differently may be computed anew beyond it.
fn continued_tokens(spec: &DecoderSpec, questions: &[Question]) -> usize {
    let most = questions.iter().map(|question| match question {
        Question::Score(_) | Question::Served(_) => 0,
        Question::Generate(request) => {
            let prompt_tokens = request.ids.len();
            let most_tokens = prompt_tokens + request.max_new_tokens;
            let again =
                if spec.reach(prompt_tokens) == spec.reach(most_tokens) { 0 } else { most_tokens };
            request.max_new_tokens + again
        }
    });
    most.sum()
}
