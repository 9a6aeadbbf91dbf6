//! A group's figure: the mean of its tasks' figures, and its standard error.

use std::collections::BTreeSet;

use super::{Aggregate, results::Reported, scored::TaskFigure, value::TaskValue};

/// The filters whose results count: those that are named, else all that a task has.
pub(super) fn filters(aggregate: &Aggregate, found: &[(&str, &Reported)]) -> Vec<String> {
    if let Some(filters) = &aggregate.filters {
        return filters.clone();
    }
    let figures = found.iter().flat_map(|(_, reported)| &reported.figures);
    let own = figures.filter(|figure| figure.metric == aggregate.metric);
    let filters: BTreeSet<&String> = own.map(|figure| &figure.filter).collect();
    filters.into_iter().cloned().collect()
}

/// The mean of figures, and its error.
pub(super) fn pooled(
    aggregate: &Aggregate,
    filter: &str,
    parts: &[(&TaskFigure, usize)],
) -> Result<TaskFigure, String> {
    let number = |figure: &TaskFigure| {
        let odd = || format!("a figure is no number: {}", figure.value.python_repr());
        figure.value.number().ok_or_else(odd)
    };
    let (mut sum, mut weights) = (0.0, 0.0);
    for (figure, documents) in parts {
        let weight = if aggregate.is_weighted { *documents as f64 } else { 1.0 };
        sum += number(figure)? * weight;
        weights += weight;
    }
    let errors = parts.iter().map(|(figure, documents)| Some((figure.standard_error?, *documents)));
    let errors: Option<Vec<(f64, usize)>> = errors.collect();
    let error = |errors: Vec<(f64, usize)>| {
        if aggregate.is_weighted { weighted_error(&errors) } else { unweighted_error(&errors) }
    };
    Ok(TaskFigure {
        metric: aggregate.metric.clone(),
        filter: filter.to_owned(),
        value: TaskValue::Float(sum / weights),
        standard_error: errors.map(error),
        documents: parts.iter().map(|(_, documents)| documents).sum(),
    })
}

/// The error of all documents together, if they differ as they do within each task: the pooled variance,
/// √(Σ(nᵢ − 1)sᵢ²nᵢ / (Σnᵢ − k) / Σnᵢ).
fn weighted_error(errors: &[(f64, usize)]) -> f64 {
    let squares = errors.iter().fold(0.0, |sum, (error, documents)| {
        let documents = *documents as f64;
        sum + (documents - 1.0) * (error * error) * documents
    });
    let documents = errors.iter().map(|(_, documents)| *documents as f64).sum::<f64>();
    (squares / (documents - errors.len() as f64) / documents).sqrt()
}

/// The error of a mean of means: √Σsᵢ² / k.
fn unweighted_error(errors: &[(f64, usize)]) -> f64 {
    errors.iter().fold(0.0, |sum, (error, _)| sum + error * error).sqrt() / errors.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_those_of_lm_eval() {
        // Each row was run in lm-eval 0.4.13.
        let errors = [(0.333_333_333_333_333_37, 3), (0.25, 4), (0.5, 2)];
        assert_eq!(weighted_error(&errors).to_bits(), 0.188_398_055_086_813_f64.to_bits());
        assert_eq!(unweighted_error(&errors).to_bits(), 0.216_951_379_886_295_98_f64.to_bits());
    }
}
