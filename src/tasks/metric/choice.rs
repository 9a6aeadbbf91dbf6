//! What the likelihoods of options are worth.
//!
//! Of options that are equally likely the first is chosen, as `numpy.argmax` does, which also takes what is no number
//! for the largest. A label that is no number of an option is -100, and right for none.

use super::{
    Gold, Measured,
    likelihood::{Likelihood, pair},
};
use crate::{
    python::pairwise_sum,
    tasks::{filter::place, value::TaskValue},
};

/// All that is measured, in lm-eval's order.
pub(super) const METRICS: &[&str] = &[
    "acc",
    "f1",
    "mcc",
    "acc_norm",
    "acc_bytes",
    "exact_match",
    "brier_score",
    "likelihood",
    "acc_mutual_info",
];

/// What stands for a label that is no option.
const NO_OPTION: i128 = -100;

/// The right options.
enum Right {
    One(i128),
    Several(Vec<i128>),
}

pub(super) fn measured(
    gold: &Gold,
    answers: &[TaskValue],
    has_mutual_info: bool,
) -> Result<Measured, String> {
    let pairs: Vec<Likelihood> = answers.iter().map(pair).collect::<Result<_, _>>()?;
    let choices = gold.choices.as_deref().ok_or("multiple_choice needs doc_to_choice")?;
    let all: Vec<f64> = pairs.iter().map(|pair| pair.log).collect();
    let is_greedy: Vec<bool> = pairs.iter().map(|pair| pair.is_greedy).collect();
    // Behind the options stand the same without the question, where that is asked for.
    let is_doubled = has_mutual_info && all.len() == 2 * choices.len();
    let (logs, without) = all.split_at(if is_doubled { choices.len() } else { all.len() });
    if logs.len() != choices.len() || (has_mutual_info && !is_doubled) || choices.is_empty() {
        return Err(format!("{} likelihoods for {} options", all.len(), choices.len()));
    }
    let per = |length: fn(&str) -> usize| -> Vec<f64> {
        logs.iter().zip(choices).map(|(log, choice)| log / length(choice) as f64).collect()
    };
    let chosen = largest(logs);
    let right = right(&gold.target, choices, gold.has_several_targets)?;
    let label = right.value();
    let score = |chosen: usize| TaskValue::Float(f64::from(u8::from(right.has(chosen))));
    let pair = |other: TaskValue| TaskValue::Tuple(vec![label.clone(), other]);
    let number = TaskValue::Whole(chosen as i128);
    let floats =
        |numbers: &[f64]| TaskValue::List(numbers.iter().copied().map(Into::into).collect());
    let mut values = vec![
        score(chosen),
        pair(number.clone()),
        pair(number),
        score(largest(&per(|choice| choice.chars().count()))),
        score(largest(&per(str::len))),
        TaskValue::Whole(right.is_greedy(&is_greedy)?.into()),
        pair(floats(&probabilities(logs))),
        pair(floats(logs)),
    ];
    if has_mutual_info {
        let added: Vec<f64> = logs.iter().zip(without).map(|(log, alone)| log - alone).collect();
        values.push(match &right {
            Right::Several(labels) if labels.len() != 1 => {
                return Err("acc_mutual_info has one right option, not several".to_owned());
            }
            _ => score(largest(&added)),
        });
    }
    Ok(METRICS.iter().map(|name| (*name).to_owned()).zip(values).collect())
}

/// The options that a target names: by number, by text, or several by their numbers.
fn right(target: &TaskValue, choices: &[String], is_several: bool) -> Result<Right, String> {
    let known = |label: i128| if label < choices.len() as i128 { label } else { NO_OPTION };
    let odd = || {
        let several = if is_several { "a list of numbers of options" } else { "an option" };
        format!(
            "the target is {}, where {several} is expected, as in the first document",
            target.python_repr()
        )
    };
    match target {
        TaskValue::List(labels) if is_several => {
            let labels = labels.iter().map(|label| label.whole().map(known).ok_or_else(odd));
            Ok(Right::Several(labels.collect::<Result<_, _>>()?))
        }
        TaskValue::Whole(_) | TaskValue::Truth(_) if !is_several => {
            target.whole().map(known).map(Right::One).ok_or_else(odd)
        }
        TaskValue::Text(text) if !is_several => {
            let place = choices.iter().position(|choice| choice == text);
            Ok(Right::One(place.map_or(NO_OPTION, |place| place as i128)))
        }
        _ => Err(odd()),
    }
}

impl Right {
    fn has(&self, chosen: usize) -> bool {
        let chosen = chosen as i128;
        match self {
            Self::One(label) => *label == chosen,
            Self::Several(labels) => labels.contains(&chosen),
        }
    }

    /// Whether a right option is what the model would write. A negative number counts from the end.
    fn is_greedy(&self, is_greedy: &[bool]) -> Result<bool, String> {
        let one = |label: &i128| match label {
            &NO_OPTION => Ok(false),
            label => {
                let place =
                    i64::try_from(*label).ok().and_then(|label| place(label, is_greedy.len()));
                let found = place.and_then(|place| is_greedy.get(place).copied());
                found.ok_or_else(|| format!("there is no option {label}"))
            }
        };
        match self {
            Self::One(label) => one(label),
            Self::Several(labels) => {
                for label in labels {
                    if one(label)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }

    fn value(&self) -> TaskValue {
        match self {
            Self::One(label) => TaskValue::Whole(*label),
            Self::Several(labels) => {
                TaskValue::List(labels.iter().copied().map(TaskValue::Whole).collect())
            }
        }
    }
}

/// `numpy.argmax`.
fn largest(numbers: &[f64]) -> usize {
    if let Some(place) = numbers.iter().position(|number| number.is_nan()) {
        return place;
    }
    let mut largest = 0;
    for (place, number) in numbers.iter().enumerate() {
        if numbers.get(largest).is_some_and(|most| number > most) {
            largest = place;
        }
    }
    largest
}

/// The softmax of log-likelihoods.
fn probabilities(logs: &[f64]) -> Vec<f64> {
    let most = logs.get(largest(logs)).copied().unwrap_or_default();
    let powers: Vec<f64> = logs.iter().map(|log| (log - most).exp()).collect();
    let sum = pairwise_sum(&powers);
    powers.iter().map(|power| power / sum).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(target: &serde_json::Value, is_several: bool, logs: &[f64]) -> Result<Measured, String> {
        let gold = Gold {
            target: TaskValue::from(target),
            choices: Some(["a", "écu", "long one"].map(str::to_owned).to_vec()),
            has_several_targets: is_several,
        };
        let greedy = [false, false, true];
        let answers: Vec<TaskValue> = logs
            .iter()
            .zip(greedy)
            .map(|(log, greedy)| TaskValue::List(vec![(*log).into(), TaskValue::Truth(greedy)]))
            .collect();
        measured(&gold, &answers, false)
    }

    #[test]
    fn the_first_of_equals_is_chosen_and_lengths_are_letters_or_bytes() {
        let found = of(&json!(0), false, &[-2.0, -2.0, -8.0]).unwrap();
        assert_eq!(found["acc"], TaskValue::Float(1.0));
        assert_eq!(found["f1"].python_repr(), "(0, 0)");
        // -2 of a, -2/3 of écu, -1 of long one; by bytes -2/4 of écu.
        assert_eq!(found["acc_norm"], TaskValue::Float(0.0));
        let found = of(&json!("écu"), false, &[-2.0, -2.0, -4.8]).unwrap();
        assert_eq!(found["acc_norm"], TaskValue::Float(0.0));
        assert_eq!(found["acc_bytes"], TaskValue::Float(1.0));
    }

    #[test]
    fn labels_that_are_no_option_are_right_for_none() {
        let found = of(&json!(7), false, &[-1.0, -2.0, -3.0]).unwrap();
        assert_eq!(found["mcc"].python_repr(), "(-100, 0)");
        assert_eq!(found["exact_match"], TaskValue::Whole(0));
        let found = of(&json!(-1), false, &[-1.0, -2.0, -3.0]).unwrap();
        assert_eq!(found["exact_match"], TaskValue::Whole(1));
        assert!(of(&json!(1.5), false, &[-1.0, -2.0, -3.0]).is_err());
    }

    #[test]
    fn several_options_may_be_right() {
        let found = of(&json!([1, 0]), true, &[-1.0, -2.0, -3.0]).unwrap();
        assert_eq!(found["acc"], TaskValue::Float(1.0));
        assert_eq!(found["exact_match"], TaskValue::Whole(0));
        assert!(of(&json!(1), true, &[-1.0, -2.0, -3.0]).is_err());
        assert!(of(&json!([1]), false, &[-1.0, -2.0, -3.0]).is_err());
    }
}
