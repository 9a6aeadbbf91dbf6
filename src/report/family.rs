//! Data sets that belong together, such as the 57 subjects of MMLU, in two figures.
//!
//! Which do is said by the groups of a config's summarizer; of other data sets, those whose names begin
//! alike do. OpenCompass's own figure of a group stands in its summary; here the two means that people
//! ask for stand beside each other, each with its uncertainty.

use indexmap::{IndexMap, IndexSet};

use super::{
    FamilyRow, ResultRow, SummaryGroup,
    family_row::figure,
    group_members::{Members, members},
};

/// So many data sets whose names begin alike are a family.
const LEAST_ALIKE: usize = 5;

/// Where a name goes on with what tells it from others.
const SEPARATORS: [char; 3] = ['_', '-', '/'];

/// Between the name of a data set and that of one of its variants.
pub const VARIANT_MARK: char = '@';

/// Data sets that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    /// The group's name, or what the names of the data sets begin with.
    pub name: String,
    members: Members,
    /// What each data set weighs, where a group says so; without it, as much as it has samples.
    weights: IndexMap<String, f64>,
}

impl Family {
    /// The families among data sets: the groups that are means and whose data sets are all there, in
    /// order, then data sets in no group of which five or more have the beginning of their name in
    /// common. Of `stages`, those that are stages of others, only groups make families: a question that was rewritten and a
    /// passage that was found have no mean.
    pub fn find(datasets: &[&str], stages: &IndexSet<&str>, groups: &[SummaryGroup]) -> Vec<Self> {
        let mut families: Vec<Self> = Vec::new();
        let mut grouped: IndexSet<&str> = IndexSet::new();
        let mut resolved: IndexMap<&str, Members> = IndexMap::new();
        for group in groups {
            let members = members(group, &resolved);
            let known = members.keys().filter_map(|name| datasets.iter().find(|own| *own == name));
            let known: Vec<&str> = known.copied().collect();
            let is_whole = known.len() == members.len() && known.len() > 1;
            grouped.extend(known);
            let is_mean = !(group.std || group.sum || group.harmonic_mean);
            // OpenCompass's configs have groups with and without weights over the same data sets.
            let is_new = families.iter().all(|family| family.members != members);
            if is_whole && is_mean && is_new {
                let weights = group.weights.clone();
                // Weights of whole groups, or of single metrics, are the summary's to apply.
                if weights.is_empty() || members.keys().all(|name| weights.contains_key(name)) {
                    families.push(Self {
                        name: group.name.clone(),
                        members: members.clone(),
                        weights,
                    });
                }
            }
            resolved.insert(&group.name, members);
        }
        // Variants of one data set are the same questions again: a family has one variant of each.
        let mut by_variant: IndexMap<&str, Vec<&str>> = IndexMap::new();
        let is_free = |name: &&&str| !grouped.contains(**name) && !stages.contains(**name);
        for &name in datasets.iter().filter(is_free) {
            let variant = name.split_once(VARIANT_MARK).map_or("", |(_, variant)| variant);
            by_variant.entry(variant).or_default().push(name);
        }
        for (variant, names) in by_variant.iter().filter(|(_, names)| names.len() >= LEAST_ALIKE) {
            let first = families.len();
            alike(names, 0, &mut families);
            if !variant.is_empty() {
                families[first..].iter_mut().for_each(|family| {
                    family.name = format!("{}{VARIANT_MARK}{variant}", family.name);
                });
            }
        }
        families
    }

    /// The figures of every model that has results for all data sets of the family.
    pub fn rows(&self, results: &[ResultRow]) -> Vec<FamilyRow> {
        let models: IndexSet<&str> = results.iter().map(|row| row.model.as_str()).collect();
        models.iter().flat_map(|model| self.rows_of(model, results)).collect()
    }

    fn rows_of(&self, model: &str, results: &[ResultRow]) -> Vec<FamilyRow> {
        let counts = |row: &&ResultRow, name: &str, metric: &Option<String>| {
            row.model == model
                && row.dataset == *name
                && metric.as_ref().is_none_or(|metric| row.metric == *metric)
        };
        let of_members: Vec<Vec<&ResultRow>> = self
            .members
            .iter()
            .map(|(name, metric)| results.iter().filter(|row| counts(row, name, metric)).collect())
            .collect();
        let Some(first) = of_members.first() else { return Vec::new() };
        let with = |metric: &str| -> Option<Vec<&ResultRow>> {
            let named =
                |rows: &Vec<&'_ ResultRow>| rows.iter().position(|row| row.metric == metric);
            of_members.iter().map(|rows| Some(rows[named(rows)?])).collect()
        };
        let shared: Vec<FamilyRow> = first
            .iter()
            .filter_map(|row| self.row(model, &row.metric, &with(&row.metric)?))
            .collect();
        if !shared.is_empty() {
            return shared;
        }
        let foremost: Option<Vec<&ResultRow>> =
            of_members.iter().map(|rows| rows.first().copied()).collect();
        foremost.and_then(|rows| self.row(model, "average", &rows)).into_iter().collect()
    }

    /// One row per data set in one figure; nothing if their units differ.
    fn row(&self, model: &str, metric: &str, rows: &[&ResultRow]) -> Option<FamilyRow> {
        let first = rows.first()?;
        if rows.iter().any(|row| row.unit != first.unit) {
            return None;
        }
        let samples: usize = rows.iter().map(|row| row.samples).sum();
        let total: f64 = self.weights.values().sum();
        let weight = |row: &ResultRow| match self.weights.get(&row.dataset) {
            Some(weight) if total > 0.0 => weight / total,
            _ => row.samples as f64 / samples as f64,
        };
        let is_one_mode = rows.iter().all(|row| row.mode == first.mode);
        Some(FamilyRow {
            family: self.name.clone(),
            datasets: self.members.keys().cloned().collect(),
            model: model.to_owned(),
            mode: if is_one_mode { first.mode.clone() } else { "mixed".to_owned() },
            metric: metric.to_owned(),
            weighted: figure(rows, weight),
            plain: figure(rows, |_| 1.0 / rows.len() as f64),
            unit: first.unit,
            samples,
            failed: rows.iter().map(|row| row.failed).sum(),
        })
    }
}

/// Finds families among names that agree in their first `from` bytes, which end in a separator.
///
/// Names are cut at separators: `lukaemon_mmlu_` and `lukaemon_cmmlu_` are two families under
/// `lukaemon_`, but the `high_school_` subjects of one are no family of their own, because other
/// subjects stand beside them.
fn alike(names: &[&str], mut from: usize, families: &mut Vec<Family>) {
    let parts = loop {
        let mut parts: IndexMap<&str, Vec<&str>> = IndexMap::new();
        for name in names {
            let rest = &name[from..];
            let end = rest.find(SEPARATORS).map_or(rest.len(), |at| at + 1);
            parts.entry(&rest[..end]).or_default().push(name);
        }
        match parts.first() {
            Some((part, _)) if parts.len() == 1 && !part.is_empty() => from += part.len(),
            _ => break parts,
        }
    };
    if from == 0 || parts.values().all(|names| names.len() >= LEAST_ALIKE) {
        for (part, names) in parts.iter().filter(|(_, names)| names.len() >= LEAST_ALIKE) {
            alike(names, from + part.len(), families);
        }
        return;
    }
    let name = names.first().map_or("", |name| &name[..from]).trim_end_matches(SEPARATORS);
    let members = names.iter().map(|&name| (name.to_owned(), None)).collect();
    families.push(Family { name: name.to_owned(), members, weights: IndexMap::new() });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Node, from_node};
    use crate::{evaluate::Unit, report::FamilyFigure};
    use serde_json::{Value, json};

    fn row(dataset: &str, value: f64, standard_error: f64, samples: usize) -> ResultRow {
        ResultRow {
            dataset: dataset.to_owned(),
            model: "m".to_owned(),
            mode: "ppl".to_owned(),
            metric: "accuracy".to_owned(),
            value,
            standard_error: Some(standard_error),
            interval_low: None,
            interval_high: None,
            unit: Unit::Percent,
            perplexity: None,
            samples,
            failed: 1,
        }
    }

    #[expect(clippy::needless_pass_by_value, reason = "literals are written in place")]
    fn groups(groups: Value) -> Vec<SummaryGroup> {
        from_node(&Node::from_json(&groups)).unwrap()
    }

    fn names(datasets: &[&str]) -> Vec<(String, usize)> {
        let families = Family::find(datasets, &IndexSet::new(), &[]);
        families.into_iter().map(|family| (family.name, family.members.len())).collect()
    }

    #[test]
    fn samples_or_data_sets_weigh_the_same() {
        let families = Family::find(
            &["a", "b"],
            &IndexSet::new(),
            &groups(json!([{"name": "g", "subsets": ["a", "b"]}])),
        );
        let rows = [row("a", 100.0, 0.0, 30), row("b", 0.0, 0.0, 10)];
        let found = families[0].rows(&rows);
        assert_eq!(found.len(), 1);
        assert!((found[0].weighted.value - 75.0).abs() < 1e-12);
        assert!((found[0].plain.value - 50.0).abs() < 1e-12);
        assert_eq!((found[0].samples, found[0].failed), (40, 2));
        // That of 30 of 40, and that of half of 1 / (1/4/30 + 1/4/10) = 30.
        let bounds =
            |figure: FamilyFigure| (figure.interval_low.unwrap(), figure.interval_high.unwrap());
        let (low, high) = bounds(found[0].weighted);
        assert!((low - 59.805_6).abs() < 1e-3 && (high - 85.812_8).abs() < 1e-3, "{low} {high}");
        let (low, high) = bounds(found[0].plain);
        assert!((low - 33.154_1).abs() < 1e-3 && (high - 66.845_9).abs() < 1e-3, "{low} {high}");
    }

    #[test]
    fn a_family_that_is_always_right_claims_no_certainty() {
        let families = Family::find(
            &["a", "b"],
            &IndexSet::new(),
            &groups(json!([{"name": "g", "subsets": ["a", "b"]}])),
        );
        let found = families[0].rows(&[row("a", 100.0, 0.0, 10), row("b", 100.0, 0.0, 10)]);
        assert_eq!(found[0].plain.standard_error, Some(0.0));
        assert!(found[0].plain.interval_low.unwrap() < 84.0);
    }

    #[test]
    fn groups_hold_groups_and_must_be_whole() {
        let groups = groups(json!([
            {"name": "inner", "subsets": ["a", "b"]},
            {"name": "inner_weighted", "subsets": ["a", "b"], "weights": {"a": 2, "b": 1}},
            {"name": "outer", "subsets": ["inner", ["c", "score"]]},
            {"name": "spread", "subsets": ["a", "c"], "std": true},
            {"name": "partial", "subsets": ["a", "d"]},
        ]));
        let found = Family::find(&["a", "b", "c"], &IndexSet::new(), &groups);
        let found: Vec<_> = found.iter().map(|it| (it.name.as_str(), it.members.len())).collect();
        assert_eq!(found, [("inner", 2), ("outer", 3)]);
    }

    #[test]
    fn a_group_of_itself_ends() {
        let groups = groups(json!([{"name": "a", "subsets": ["a", "b"]}]));
        assert_eq!(Family::find(&["a", "b"], &IndexSet::new(), &groups).len(), 1);
    }

    #[test]
    fn variants_of_a_data_set_are_no_family() {
        let wordings = ["", "@a", "@b", "@c", "@d", "@e"].map(|own| format!("choices{own}"));
        assert_eq!(names(&wordings.each_ref().map(String::as_str)), []);
        let subjects: Vec<String> = ["", "@short"]
            .iter()
            .flat_map(|own| (0..6).map(move |subject| format!("mmlu_{subject}{own}")))
            .collect();
        let found = names(&subjects.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(found, [("mmlu".to_owned(), 6), ("mmlu@short".to_owned(), 6)]);
    }

    #[test]
    fn names_that_begin_alike_are_a_family() {
        let subjects = [
            "college_x",
            "high_school_a",
            "high_school_b",
            "high_school_c",
            "high_school_d",
            "high_school_e",
        ];
        let mmlu: Vec<String> =
            subjects.iter().map(|name| format!("lukaemon_mmlu_{name}")).collect();
        let cmmlu: Vec<String> =
            subjects.iter().map(|name| format!("lukaemon_cmmlu_{name}")).collect();
        let all: Vec<&str> =
            mmlu.iter().chain(&cmmlu).map(String::as_str).chain(["gsm8k"]).collect();
        assert_eq!(
            names(&all),
            [("lukaemon_mmlu".to_owned(), 6), ("lukaemon_cmmlu".to_owned(), 6)]
        );
        assert_eq!(names(&["a_1", "a_2", "a_3", "a_4"]), []);
        assert_eq!(names(&["a_", "a_b", "a_c", "a_d", "a_e"]), [("a".to_owned(), 5)]);
        assert_eq!(names(&["", "_", "__", "___", "____", "_____"]).len(), 1);
        assert_eq!(names(&["根_一", "根_二", "根_三", "根_四", "根_五"]), [("根".to_owned(), 5)]);
    }

    #[test]
    fn different_units_have_no_mean() {
        let mut nats = row("b", 2.0, 0.1, 10);
        nats.unit = Unit::NatsPerToken;
        let families = Family::find(
            &["a", "b"],
            &IndexSet::new(),
            &groups(json!([{"name": "g", "subsets": ["a", "b"]}])),
        );
        assert_eq!(families[0].rows(&[row("a", 50.0, 1.0, 10), nats.clone()]), []);
        let mut other = row("b", 100.0, 0.0, 10);
        other.metric = "score".to_owned();
        let found = families[0].rows(&[row("a", 50.0, 1.0, 10), other]);
        assert_eq!((found[0].metric.as_str(), found[0].plain.value), ("average", 75.0));
    }
}
