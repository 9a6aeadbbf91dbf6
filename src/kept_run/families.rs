//! The figures of data sets that belong together.

use indexmap::IndexSet;

use super::RunError;
use crate::{
    config::Node,
    report::{Family, FamilyRow, ResultRow, SummarizerConfig},
};

/// The families among data sets, by the data sets' names.
pub(crate) fn families<'a>(
    summarizer: Option<&Node>,
    datasets: impl Iterator<Item = &'a str>,
    rows: &[ResultRow],
) -> Result<Vec<FamilyRow>, RunError> {
    // Under several models a data set comes again.
    let names: IndexSet<&str> = datasets.collect();
    let names: Vec<&str> = names.into_iter().collect();
    let groups = SummarizerConfig::of(summarizer)?.summary_groups;
    let families = Family::find(&names, &groups);
    Ok(families.iter().flat_map(|family| family.rows(rows)).collect())
}
