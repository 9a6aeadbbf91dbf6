//! `--dataset`: the data sets of a plan that are meant.

use std::collections::HashSet;

use crate::{
    plan::{DatasetPlan, PlanError, RunPlan},
    registry::Pattern,
};

/// Drops the data sets that no pattern means, but for the stages that those which stay read from. A pattern that means none
/// is a mistake.
pub(super) fn keep(plan: &mut RunPlan, patterns: &[String]) -> Result<(), PlanError> {
    let all = std::mem::take(&mut plan.datasets);
    let meant: HashSet<String> =
        chosen(all.iter().collect(), patterns, |dataset: &&DatasetPlan| &dataset.abbr)?
            .into_iter()
            .flat_map(|dataset| {
                let is_before = |other: &&DatasetPlan| is_before(other, dataset);
                let before = all.iter().filter(is_before).map(|other| other.abbr.clone());
                before.chain([dataset.abbr.clone()]).collect::<Vec<_>>()
            })
            .collect();
    plan.datasets = all.into_iter().filter(|dataset| meant.contains(&dataset.abbr)).collect();
    Ok(())
}

/// Whether one is an earlier stage of the other's chain.
fn is_before(one: &DatasetPlan, other: &DatasetPlan) -> bool {
    match (&one.stage, &other.stage) {
        (Some(one), Some(other)) => one.chain == other.chain && one.number < other.number,
        _ => false,
    }
}

/// Those of several things with the name of a data set that a pattern means; all of them where there is no pattern.
pub(super) fn chosen<T>(
    things: Vec<T>,
    patterns: &[String],
    name: impl Fn(&T) -> &str,
) -> Result<Vec<T>, PlanError> {
    if patterns.is_empty() {
        return Ok(things);
    }
    let patterns: Vec<Pattern> = patterns.iter().map(|written| Pattern::new(written)).collect();
    let means_none = |pattern: &&Pattern| !things.iter().any(|thing| pattern.matches(name(thing)));
    if let Some(pattern) = patterns.iter().find(means_none) {
        let names: Vec<&str> = things.iter().map(&name).collect();
        return Err(PlanError::NoSuch {
            what: "data set",
            pattern: pattern.written().to_owned(),
            names: names.join(", "),
        });
    }
    let is_meant = |thing: &T| patterns.iter().any(|pattern| pattern.matches(name(thing)));
    Ok(things.into_iter().filter(is_meant).collect())
}
