//! `--dataset`: the data sets of a plan that are meant.

use crate::{
    plan::{PlanError, RunPlan},
    view::Pattern,
};

/// Drops the data sets that no pattern means. A pattern that means none is a mistake.
pub(super) fn keep(plan: &mut RunPlan, patterns: &[String]) -> Result<(), PlanError> {
    if patterns.is_empty() {
        return Ok(());
    }
    let patterns: Vec<Pattern> = patterns.iter().map(|written| Pattern::new(written)).collect();
    let means_none =
        |pattern: &&Pattern| !plan.datasets.iter().any(|dataset| pattern.matches(&dataset.abbr));
    if let Some(pattern) = patterns.iter().find(means_none) {
        let names: Vec<&str> = plan.datasets.iter().map(|dataset| dataset.abbr.as_str()).collect();
        return Err(PlanError::NoSuch {
            what: "data set",
            pattern: pattern.written().to_owned(),
            names: names.join(", "),
        });
    }
    plan.datasets.retain(|dataset| patterns.iter().any(|pattern| pattern.matches(&dataset.abbr)));
    Ok(())
}
