//! What a text that a model wrote is worth.
//!
//! The target becomes what the answer is: a number's text beside a text. Where targets are several, one of them has to
//! match. Metrics of a whole corpus only put target and answer beside one another.

use indexmap::IndexMap;

use super::{
    Expanded, Gold, Measured,
    planned::{Kind, PlannedMetric},
};
use crate::{
    python::{parse_float, parse_integer},
    tasks::{filter::place, value::TaskValue},
};

pub(super) fn measured(
    metrics: &IndexMap<String, PlannedMetric>,
    gold: &Gold,
    answers: &[TaskValue],
    expanded: &mut Expanded,
) -> Result<Measured, String> {
    let answer = answers.first().ok_or("there is no answer")?;
    let is_kept_alone = metrics.contains_key("bypass");
    let (target, targets) = if let Some(choices) = &gold.choices {
        (option(&gold.target, choices)?, None)
    } else if gold.has_several_targets {
        (gold.target.clone(), Some(gold.target.items()?))
    } else if is_kept_alone || answer.list().is_some() {
        (gold.target.clone(), None)
    } else {
        (cast(&gold.target, answer)?, None)
    };
    // Options of a document whose target would be several are no case of the original's: it takes the letters of one.
    let targets = match targets {
        None if gold.has_several_targets => {
            return Err("several targets beside doc_to_choice cannot be scored".to_owned());
        }
        targets => targets,
    };
    let mut measured = Measured::new();
    for (name, metric) in metrics {
        let value = match (&metric.kind, &targets) {
            (Kind::Function(function, settings), None) => {
                let value = function.measure(settings, &target, answer)?;
                // A function may give several figures, under names of their own.
                if let TaskValue::Mapping(figures) = value {
                    for (own, value) in figures {
                        if own != *name {
                            expanded.insert(own.clone(), name.clone());
                        }
                        measured.insert(own, value);
                    }
                    continue;
                }
                value
            }
            (Kind::Function(function, settings), Some(targets)) => {
                let mut is_any = false;
                for target in targets {
                    let value = function.measure(settings, target, answer)?;
                    let value = match &value {
                        TaskValue::Mapping(figures) => figures
                            .get(name)
                            .ok_or_else(|| format!("{} gives no {name}", function.name()))?,
                        value => value,
                    };
                    is_any |= value.is_true();
                }
                TaskValue::Float(f64::from(u8::from(is_any)))
            }
            (Kind::ExactMatch(metric), Some(targets)) => {
                if answer.list().is_some() {
                    let what = "several answers beside several targets cannot be scored";
                    return Err(what.to_owned());
                }
                let answers = vec![answer.clone(); targets.len()];
                let share = metric.share(targets, &answers)?;
                TaskValue::Float(f64::from(u8::from(share > 0.0)))
            }
            (Kind::ExactMatch(metric), None) => {
                let answers = match answer {
                    TaskValue::List(answers) => answers.clone(),
                    one => vec![one.clone()],
                };
                let targets = vec![target.clone(); answers.len()];
                TaskValue::Float(metric.share(&targets, &answers)?)
            }
            (Kind::Named, targets) => of_name(name, &target, answer, targets.is_some())?,
        };
        measured.insert(name.clone(), value);
    }
    Ok(measured)
}

/// A metric that puts target and answer beside one another, or keeps the answer alone.
fn of_name(
    name: &str,
    target: &TaskValue,
    answer: &TaskValue,
    has_several_targets: bool,
) -> Result<TaskValue, String> {
    match (name, has_several_targets) {
        ("bypass", false) => Ok(TaskValue::None),
        ("bypass", true) => Ok(TaskValue::Float(0.0)),
        ("acc_all", _) => Err("acc_all is no metric of one text".to_owned()),
        (name, true) => Err(format!("{name} makes nothing of several targets for one document")),
        (_, false) => Ok(TaskValue::List(vec![target.clone(), answer.clone()])),
    }
}

/// The option that a target names by its number.
fn option(target: &TaskValue, choices: &[String]) -> Result<TaskValue, String> {
    let number = target.whole().and_then(|number| i64::try_from(number).ok());
    let option = number.and_then(|number| choices.get(place(number, choices.len())?));
    let odd = || {
        format!(
            "beside doc_to_choice the target is a number of an option, not {}",
            target.python_repr()
        )
    };
    option.map(|option| TaskValue::Text(option.clone())).ok_or_else(odd)
}

/// `type(answer)(target)`, where they are of two types.
fn cast(target: &TaskValue, answer: &TaskValue) -> Result<TaskValue, String> {
    let odd = || {
        format!(
            "the target {} cannot become what the answer is, {}",
            target.python_repr(),
            answer.python_repr()
        )
    };
    match (answer, target) {
        (TaskValue::Text(_), target) => Ok(TaskValue::Text(target.python_str())),
        (TaskValue::Whole(_), TaskValue::Whole(_)) => Ok(target.clone()),
        (TaskValue::Whole(_), TaskValue::Text(text)) => {
            let whole = parse_integer(text).and_then(|whole| whole.parse().ok());
            whole.map(TaskValue::Whole).ok_or_else(odd)
        }
        (TaskValue::Whole(_), TaskValue::Float(float)) if float.is_finite() => {
            Ok(TaskValue::Whole(float.trunc() as i128))
        }
        (TaskValue::Whole(_), TaskValue::Truth(truth)) => Ok(TaskValue::Whole((*truth).into())),
        (TaskValue::Float(_), TaskValue::Text(text)) => {
            parse_float(text).map(TaskValue::Float).ok_or_else(odd)
        }
        (TaskValue::Float(_), target) => target.number().map(TaskValue::Float).ok_or_else(odd),
        _ => Err(odd()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn targets_become_what_answers_are() {
        let rows = [
            (json!(7), json!("x"), json!("7")),
            (json!(2.0), json!("x"), json!("2.0")),
            (json!(["a"]), json!("x"), json!("['a']")),
            (json!(" 3 "), json!(1), json!(3)),
            (json!("3"), json!(1.5), json!(3.0)),
        ];
        for (target, answer, expected) in rows {
            let found = cast(&TaskValue::from(&target), &TaskValue::from(&answer));
            assert_eq!(found, Ok(TaskValue::from(&expected)), "{target}");
        }
        assert!(cast(&"x".into(), &TaskValue::Whole(1)).is_err());
        assert!(cast(&"x".into(), &TaskValue::None).is_err());
    }
}
