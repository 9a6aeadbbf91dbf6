//! Gold answers that no prediction can equal: numbers or small letters where predictions are capitals.
//!
//! What predictions can be is known where they are the labels of candidates, and where the last rule that
//! they go through picks options.

use serde_json::Value as Json;

use super::{
    kind::Finding,
    subject::{Asked, Subject},
};
use crate::{evaluate::Evaluator, postprocess, python::python_str};

/// The gold answer, if nothing equals it. Only metrics that compare for equality can tell.
pub(super) fn find(subject: &Subject<'_>, asked: &Asked<'_>) -> Vec<Finding> {
    let (Some(evaluator), Some(column)) =
        (subject.dataset.evaluation.evaluator.as_deref(), subject.task.output_column)
    else {
        return Vec::new();
    };
    if let Some(why) = unread_gold(subject, asked, column) {
        return vec![Finding::about(column, why)];
    }
    let Some(gold) = subject.compared_gold(asked) else { return Vec::new() };
    let compares = evaluator.options().is_some() || evaluator.accepts(&gold, &gold).is_some();
    if asked.prepared.dialogue.is_some() || !compares {
        return Vec::new();
    }
    let why = if let Some(options) = evaluator.options() {
        let is_option = gold.as_str().is_some_and(|gold| options.iter().any(|own| own == gold));
        (!is_option).then(|| format!("the options are {}", options.join(", ")))
    } else if asked.candidates().next().is_some() {
        no_label(subject, asked, evaluator, &gold)
    } else if subject.generates() {
        no_option(subject, evaluator, &gold)
    } else {
        None
    };
    let told = why.map(|why| {
        let gold = python_str(&gold);
        Finding::about(
            column,
            format!("no prediction can equal the gold answer {gold:?} of column {column}: {why}; it counts as wrong"),
        )
    });
    told.into_iter().collect()
}

/// Why the rule for golds cannot read this one, in words.
fn unread_gold(subject: &Subject<'_>, asked: &Asked<'_>, column: &str) -> Option<String> {
    let rule = subject.dataset.evaluation.gold_postprocessor.as_deref()?;
    let gold = asked.row.get(column).filter(|gold| !gold.is_null())?;
    let error = postprocess::apply(rule, gold, asked.row).err()?;
    Some(format!(
        "the dataset_postprocessor cannot read the gold answer {:?} of column {column}: {error}; the evaluation will end there",
        python_str(gold)
    ))
}

/// Why the gold is no label.
fn no_label(
    subject: &Subject<'_>,
    asked: &Asked<'_>,
    evaluator: &dyn Evaluator,
    gold: &Json,
) -> Option<String> {
    let rules = subject.prediction_rules();
    let labels = || asked.candidates().filter_map(|prompt| prompt.label.as_ref());
    for label in labels() {
        let predicted = rules.iter().try_fold(label.json().clone(), |prediction, rule| {
            postprocess::apply(*rule, &prediction, asked.row)
        });
        // A rule that fails on a label ends the evaluation with words of its own.
        let Ok(predicted) = predicted else { return None };
        if evaluator.accepts(&predicted, gold) == Some(true) {
            return None;
        }
    }
    let names: Vec<String> = labels().map(ToString::to_string).collect();
    let text = python_str(gold);
    let hint = if names.contains(&text) {
        ", and one of the two is a text and the other a number"
    } else if names.contains(&text.to_uppercase()) {
        ", which are capitals"
    } else if text.parse::<i64>().is_ok() && names.iter().any(|name| name.parse::<i64>().is_err()) {
        ", and it is a number"
    } else {
        ""
    };
    Some(format!("the labels are {}{hint}", names.join(", ")))
}

/// Why the gold is none of the options that the last rule gives.
fn no_option(subject: &Subject<'_>, evaluator: &dyn Evaluator, gold: &Json) -> Option<String> {
    let text = python_str(gold);
    let is_option = subject.prediction_rules().pop()?.gives(&text)?;
    if !is_option {
        return Some("it is none of the options that the pred_postprocessor gives".to_owned());
    }
    let is_other_type = evaluator.accepts(&text.into(), gold) == Some(false);
    is_other_type
        .then(|| "predictions are texts, and the evaluator compares it as a number".to_owned())
}
