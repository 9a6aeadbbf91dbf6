//! `--dataset`: the data sets of a plan that are meant.

use crate::{
    plan::{PlanError, RunPlan},
    registry::Pattern,
};

/// Drops the data sets that no pattern means. A pattern that means none is a mistake.
pub(super) fn keep(plan: &mut RunPlan, patterns: &[String]) -> Result<(), PlanError> {
    plan.datasets = chosen(std::mem::take(&mut plan.datasets), patterns, |dataset| &dataset.abbr)?;
    Ok(())
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
