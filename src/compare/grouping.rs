//! Which members make a comparison: those that differ in one part and are equal in all others.

use indexmap::{IndexMap, IndexSet};

use super::{MemberKey, Part};

/// Members of one comparison, as places in the list of all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) by: Part,
    pub(super) members: Vec<usize>,
}

/// The comparisons that can be made. Without a part, of each data set those by the first part in which
/// members differ.
pub(super) fn groups(keys: &[MemberKey], by: Option<Part>) -> Vec<Group> {
    let mut of_datasets: IndexMap<&str, Vec<usize>> = IndexMap::new();
    for (place, key) in keys.iter().enumerate() {
        of_datasets.entry(&key.dataset).or_default().push(place);
    }
    let of_dataset = |places: &Vec<usize>| {
        let parts = by.map_or_else(|| Part::ALL.to_vec(), |part| vec![part]);
        let found = parts.into_iter().map(|part| groups_by(keys, places, part));
        found.into_iter().find(|groups| !groups.is_empty()).unwrap_or_default()
    };
    of_datasets.values().flat_map(of_dataset).collect()
}

/// Whether members are left that could be compared by another part: the same data set, variant and model
/// in several runs, for instance.
pub(super) fn other_parts(keys: &[MemberKey], groups: &[Group]) -> Vec<Part> {
    let used: Vec<Part> = groups.iter().map(|group| group.by).collect();
    let others = Part::ALL.into_iter().filter(|part| !used.contains(part));
    others.filter(|&part| !self::groups(keys, Some(part)).is_empty()).collect()
}

fn groups_by(keys: &[MemberKey], places: &[usize], by: Part) -> Vec<Group> {
    // A model of its own has a run of its own as a rule, so runs may differ beside the part that is asked for.
    let others = [Part::Variant, Part::Model, Part::Rule].into_iter().filter(|part| *part != by);
    let others: Vec<Part> = others.collect();
    let mut equal: IndexMap<Vec<&str>, Vec<usize>> = IndexMap::new();
    for &place in places {
        let key: Vec<&str> = others.iter().map(|&part| keys[place].part(part)).collect();
        equal.entry(key).or_default().push(place);
    }
    let mut groups = Vec::new();
    for members in equal.into_values() {
        if is_unique(keys, &members, by) {
            groups.push(members);
            continue;
        }
        // The same value in two runs: each run by itself, and where that leaves nothing, the first of each.
        let mut of_runs: IndexMap<&str, Vec<usize>> = IndexMap::new();
        for &place in &members {
            of_runs.entry(&keys[place].run).or_default().push(place);
        }
        if of_runs.values().any(|members| members.len() > 1) {
            groups.extend(of_runs.into_values());
        } else {
            let mut seen = IndexSet::new();
            let first = members.into_iter().filter(|&place| seen.insert(keys[place].part(by)));
            groups.push(first.collect());
        }
    }
    groups.retain(|members| members.len() > 1);
    groups.into_iter().map(|members| Group { by, members }).collect()
}

/// Whether no two members say the same in a part.
fn is_unique(keys: &[MemberKey], members: &[usize], by: Part) -> bool {
    let values: IndexSet<&str> = members.iter().map(|&place| keys[place].part(by)).collect();
    values.len() == members.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Members written as `run dataset variant model rule`.
    fn keys(written: &[&str]) -> Vec<MemberKey> {
        let key = |line: &&str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let [run, dataset, variant, model, rule] = words.try_into().unwrap();
            MemberKey { run, dataset, variant, model, rule }
        };
        written.iter().map(key).collect()
    }

    fn found(written: &[&str], by: Option<Part>) -> Vec<(Part, Vec<usize>)> {
        let groups = groups(&keys(written), by);
        groups.into_iter().map(|group| (group.by, group.members)).collect()
    }

    #[test]
    fn variants_come_first_and_models_apart() {
        let all =
            ["1 d base m r", "1 d short m r", "1 d base n r", "1 d short n r", "1 e base m r"];
        let expected = [(Part::Variant, vec![0, 1]), (Part::Variant, vec![2, 3])];
        assert_eq!(found(&all, None), expected);
        let expected = [(Part::Model, vec![0, 2]), (Part::Model, vec![1, 3])];
        assert_eq!(found(&all, Some(Part::Model)), expected);
        assert_eq!(found(&all, Some(Part::Run)), []);
        let keys = keys(&all);
        assert_eq!(other_parts(&keys, &groups(&keys, None)), [Part::Model]);
    }

    #[test]
    fn runs_may_differ_beside_the_part_but_not_twice() {
        // A model in each run, a variant in each run, and the same in two runs.
        assert_eq!(found(&["1 d base m r", "2 d base n r"], None), [(Part::Model, vec![0, 1])]);
        assert_eq!(found(&["1 d base m r", "2 d new m r"], None), [(Part::Variant, vec![0, 1])]);
        assert_eq!(found(&["1 d base m r", "2 d base m r"], None), [(Part::Run, vec![0, 1])]);
        let both = ["1 d base m r", "1 d new m r", "2 d base m r", "2 d new m r"];
        let expected = [(Part::Variant, vec![0, 1]), (Part::Variant, vec![2, 3])];
        assert_eq!(found(&both, None), expected);
        let expected = [(Part::Run, vec![0, 2]), (Part::Run, vec![1, 3])];
        assert_eq!(found(&both, Some(Part::Run)), expected);
    }

    #[test]
    fn a_rule_has_an_evaluation_of_its_own() {
        let all = ["1 d base m oc", "e1 d base m sum", "2 d base m oc"];
        assert_eq!(found(&all, None), [(Part::Rule, vec![0, 1])]);
        assert_eq!(found(&all, Some(Part::Run)), [(Part::Run, vec![0, 2])]);
    }

    #[test]
    fn one_of_each_is_nothing_to_compare() {
        assert_eq!(found(&["1 d base m r", "1 e base m r", "1 f base n r"], None), []);
    }
}
