//! `sklearn.metrics`: how well classes were told.
//!
//! Labels are whole numbers or texts. Sums over classes are added in NumPy's order.

use std::collections::BTreeMap;

use crate::config::eval::{
    Interpreter,
    call::Arguments,
    failure::{Eval, Failure},
    object::Object,
};

use crate::python::pairwise_sum;

/// A class.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Label {
    Number(i64),
    Text(String),
}

/// What was counted of a class.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    right: f64,
    said: f64,
    true_ones: f64,
}

fn labels(it: &mut Interpreter, values: &Object) -> Eval<Vec<Label>> {
    let mut labels = Vec::new();
    for slot in it.collect(values, crate::config::eval::object::SourceLine::default())? {
        labels.push(match &slot.object {
            Object::Str(text) => Label::Text(text.to_string()),
            other => match other.as_int() {
                Some(number) => Label::Number(number),
                None => {
                    return Err(Failure::unsupported(format_args!(
                        "a class that is a {}",
                        other.kind()
                    )));
                }
            },
        });
    }
    Ok(labels)
}

fn both(it: &mut Interpreter, arguments: &mut Arguments) -> Eval<Vec<(Label, Label)>> {
    let keywords = (arguments.keyword("y_true"), arguments.keyword("y_pred"));
    let mut positional =
        std::mem::take(&mut arguments.positional).into_iter().map(|slot| slot.object);
    let golds = keywords.0.or_else(|| positional.next()).unwrap_or(Object::None);
    let said = keywords.1.or_else(|| positional.next()).unwrap_or(Object::None);
    if positional.next().is_some() {
        return Err(Failure::unsupported("more than two positional arguments of a metric"));
    }
    let (golds, said) = (labels(it, &golds)?, labels(it, &said)?);
    if golds.len() != said.len() {
        return Err(Failure::value_error(
            "Found input variables with inconsistent numbers of samples",
        ));
    }
    let is_number = |label: &Label| matches!(label, Label::Number(_));
    let mut all = golds.iter().chain(&said);
    let first = all.next().map(is_number);
    if all.any(|label| Some(is_number(label)) != first) {
        return Err(Failure::value_error("Mix of label input types (string and number)"));
    }
    if golds.is_empty() {
        return Err(Failure::unsupported("a metric of no samples"));
    }
    Ok(golds.into_iter().zip(said).collect())
}

/// `accuracy_score(y_true, y_pred)`.
pub(super) fn accuracy(it: &mut Interpreter, mut arguments: Arguments) -> Eval<Object> {
    let pairs = both(it, &mut arguments)?;
    let [] = arguments.exactly()?;
    let right = pairs.iter().filter(|(gold, said)| gold == said).count();
    Ok(Object::Float(right as f64 / pairs.len() as f64))
}

/// `f1_score`, `precision_score` or `recall_score`, each from what was counted of a class.
fn averaged(
    it: &mut Interpreter,
    mut arguments: Arguments,
    figure: fn(&Counts) -> f64,
) -> Eval<Object> {
    let average = arguments.keyword("average");
    let positive = arguments.keyword("pos_label");
    if let Some(zero) = arguments.keyword("zero_division")
        && zero.as_float() != Some(0.0)
    {
        return Err(Failure::unsupported("zero_division but 0"));
    }
    let pairs = both(it, &mut arguments)?;
    let [] = arguments.exactly()?;
    let mut classes: BTreeMap<&Label, Counts> = BTreeMap::new();
    for (gold, said) in &pairs {
        classes.entry(gold).or_default().true_ones += 1.0;
        let counts = classes.entry(said).or_default();
        counts.said += 1.0;
        counts.right += f64::from(u8::from(gold == said));
    }
    let counts: Vec<Counts> = classes.values().copied().collect();
    let sum = |part: fn(&Counts) -> f64| counts.iter().map(part).sum::<f64>();
    let average = match &average {
        None => "binary",
        Some(Object::Str(name)) => name,
        Some(_) => return Err(Failure::unsupported("a metric for each class")),
    };
    let value = match average {
        "micro" => figure(&Counts {
            right: sum(|counts| counts.right),
            said: sum(|counts| counts.said),
            true_ones: sum(|counts| counts.true_ones),
        }),
        "macro" => {
            let figures: Vec<f64> = counts.iter().map(figure).collect();
            pairwise_sum(&figures) / figures.len() as f64
        }
        "weighted" => {
            let figures: Vec<f64> =
                counts.iter().map(|counts| figure(counts) * counts.true_ones).collect();
            pairwise_sum(&figures) / sum(|counts| counts.true_ones)
        }
        "binary" => {
            let positive = match positive {
                None => Label::Number(1),
                Some(Object::Str(text)) => Label::Text(text.to_string()),
                Some(other) => Label::Number(other.as_int().unwrap_or(1)),
            };
            if classes.len() > 2 {
                return Err(Failure::value_error("Target is multiclass but average='binary'"));
            }
            match classes.get(&positive) {
                Some(counts) => figure(counts),
                None => {
                    return Err(Failure::unsupported(
                        "a metric of a class that is not among the samples",
                    ));
                }
            }
        }
        _ => return Err(Failure::unsupported(format_args!("average='{average}'"))),
    };
    Ok(Object::Float(value))
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}

/// `f1_score(y_true, y_pred, average=…)`.
pub(super) fn f1(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    averaged(it, arguments, |counts| ratio(2.0 * counts.right, counts.said + counts.true_ones))
}

/// `precision_score(y_true, y_pred, average=…)`.
pub(super) fn precision(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    averaged(it, arguments, |counts| ratio(counts.right, counts.said))
}

/// `recall_score(y_true, y_pred, average=…)`.
pub(super) fn recall(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    averaged(it, arguments, |counts| ratio(counts.right, counts.true_ones))
}
