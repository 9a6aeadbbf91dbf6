//! The figures of data sets that belong together.

use indexmap::IndexSet;

use super::RunError;
use crate::{
    config::Node,
    report::{Family, FamilyRow, ResultRow, SummarizerConfig},
};

/// The families among data sets, by the data sets' names, each with whether it is a stage of several.
pub(crate) fn families<'a>(
    summarizer: Option<&Node>,
    datasets: impl Iterator<Item = (&'a str, bool)>,
    rows: &[ResultRow],
) -> Result<Vec<FamilyRow>, RunError> {
    // Under several models a data set comes again.
    let all: Vec<(&str, bool)> = datasets.collect();
    let stages: IndexSet<&str> = all.iter().filter(|own| own.1).map(|own| own.0).collect();
    let names: IndexSet<&str> = all.into_iter().map(|own| own.0).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let groups = SummarizerConfig::of(summarizer)?.summary_groups;
    let families = Family::find(&names, &stages, &groups);
    Ok(families.iter().flat_map(|family| family.rows(rows)).collect())
}
