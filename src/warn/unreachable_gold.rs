//! Gold answers that no prediction can equal: numbers or small letters where predictions are capitals.
//!
//! What predictions can be is known where they are the labels of candidates, and where the last rule that
//! they go through picks options.

use serde_json::Value as Json;

use super::{
    kind::Finding,
    subject::{Asked, Subject},
};
use crate::{
    dataset::Sample,
    evaluate::Evaluator,
    postprocess,
    python::python_str,
    tasks::{ANSWER_COLUMN, document},
};

/// The gold answer, if nothing equals it. Only metrics that compare for equality can tell.
pub(super) fn find(subject: &Subject<'_>, asked: &Asked<'_>) -> Vec<Finding> {
    if let Some(task) = subject.dataset.task.as_deref() {
        let found = task.unreachable_answer(&document(asked.row));
        let told = found.map(|(target, options)| {
            Finding::about(
                ANSWER_COLUMN,
                format!("the target {target} is none of the {options} options; it counts as wrong"),
            )
        });
        return told.into_iter().collect();
    }
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
        let hint = || text_of_option(asked.row, &gold, options).unwrap_or_default();
        (!is_option).then(|| format!("the options are {}{}", options.join(", "), hint()))
    } else if asked.candidates().next().is_some() {
        no_label(subject, asked, evaluator, &gold)
    } else if subject.generates() {
        no_option(subject, asked, evaluator, &gold)
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
    let of_option = text_of_option(asked.row, gold, &names);
    let hint = if names.contains(&text) {
        ", and one of the two is a text and the other a number"
    } else if let Some(hint) = &of_option {
        hint
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
fn no_option(
    subject: &Subject<'_>,
    asked: &Asked<'_>,
    evaluator: &dyn Evaluator,
    gold: &Json,
) -> Option<String> {
    let text = python_str(gold);
    let is_option = subject.prediction_rules().pop()?.gives(&text)?;
    if !is_option {
        let letters: Vec<String> = ('A'..='Z').map(String::from).collect();
        let hint = text_of_option(asked.row, gold, &letters).unwrap_or_default();
        return Some(format!("it is none of the options that the pred_postprocessor gives{hint}"));
    }
    let is_other_type = evaluator.accepts(&text.into(), gold) == Some(false);
    is_other_type
        .then(|| "predictions are texts, and the evaluator compares it as a number".to_owned())
}

/// That the gold is what an option says and not what it is called, with what to write; `names` are what the options of the row
/// are called: columns, or the items of a list in their order.
fn text_of_option(row: &Sample, gold: &Json, names: &[String]) -> Option<String> {
    let gold = python_str(gold);
    let gold = gold.trim();
    let is_gold = |text: &Json| !text.is_null() && python_str(text).trim() == gold;
    let in_list = |(_, cell): (&str, &Json)| {
        let items = cell.as_array().filter(|items| items.len() == names.len())?;
        names.get(items.iter().position(is_gold)?)
    };
    let name = names
        .iter()
        .find(|name| row.get(name).is_some_and(is_gold))
        .or_else(|| row.iter().find_map(in_list))
        .filter(|_| !gold.is_empty())?;
    Some(format!(
        ", and it is the text of option {name}: the gold has to be what the option is called, {name}, not what it says"
    ))
}
