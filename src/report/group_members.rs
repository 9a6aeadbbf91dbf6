//! The data sets of a summarizer's groups, and groups that a run has only in part.

use indexmap::IndexMap;

use super::{Subset, SummaryGroup};

/// Data sets, each with the metric that counts if one is named.
pub(super) type Members = IndexMap<String, Option<String>>;

/// So many missing data sets are named.
const NAMED: usize = 3;

/// The data sets of a group, those of the groups before it included.
pub(super) fn members(group: &SummaryGroup, before: &IndexMap<&str, Members>) -> Members {
    let mut found = Members::new();
    for subset in &group.subsets {
        let (name, metric) = match subset {
            Subset::All(name) => (name, None),
            Subset::One(name, metric) => (name, Some(metric.clone())),
        };
        match before.get(name.as_str()) {
            Some(inner) => found.extend(inner.clone()),
            None => _ = found.insert(name.clone(), metric),
        }
    }
    found
}

/// What is to be said of groups that have no figure because some of their data sets are not in the run. A group
/// of which no data set is there is not meant.
pub fn incomplete_groups(datasets: &[&str], groups: &[SummaryGroup]) -> Vec<String> {
    let mut resolved: IndexMap<&str, Members> = IndexMap::new();
    let mut lines = Vec::new();
    for group in groups {
        let members = members(group, &resolved);
        let missing: Vec<&str> =
            members.keys().map(String::as_str).filter(|name| !datasets.contains(name)).collect();
        if !missing.is_empty() && missing.len() < members.len() {
            let named = missing[..missing.len().min(NAMED)].join(", ");
            let more = match missing.len().saturating_sub(NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            lines.push(format!(
                "summary group {:?} has no figure: of its {} data sets, {} {} not in this run: {named}{more}",
                group.name,
                members.len(),
                missing.len(),
                if missing.len() == 1 { "is" } else { "are" },
            ));
        }
        resolved.insert(&group.name, members);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(name: &str, subsets: &[&str]) -> SummaryGroup {
        let subsets = subsets.iter().map(|name| Subset::All((*name).to_owned())).collect();
        SummaryGroup { name: name.to_owned(), subsets, ..SummaryGroup::default() }
    }

    #[test]
    fn a_group_that_is_there_in_part_is_told_and_one_that_is_not_is_none_of_this_run() {
        let groups = [
            group("stem", &["a", "b"]),
            group("other", &["x"]),
            group("all", &["stem", "c", "d", "e", "f"]),
        ];
        assert_eq!(
            incomplete_groups(&["a", "b", "c"], &groups),
            [
                "summary group \"all\" has no figure: of its 6 data sets, 3 are not in this run: d, e, f"
            ]
        );
        assert!(
            incomplete_groups(&["a"], &groups)[1]
                .ends_with("of its 6 data sets, 5 are not in this run: b, c, d and 2 more")
        );
        assert!(incomplete_groups(&["a", "b", "c", "d", "e", "f"], &groups).is_empty());
    }
}
