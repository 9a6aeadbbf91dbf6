//! What can be compared in the runs of a page, and which of its samples came out differently.

use std::collections::HashMap;

use super::run_facts::unit_name;
use crate::{
    compare::{self, CompareError, CompareOptions, MemberKey, Part},
    kept_run::{RunError, run::KeptRun},
    report::page::{Comparison, ComparisonColumn, Flags, Member, Note, Page, Pair},
    statistics::Resampling,
};

/// What is told of each member beside its metric.
const COLUMNS: [(&str, &str); 5] = [
    ("nll of the gold answer", "nats_per_token"),
    ("nll of the prompt", "nats_per_token"),
    ("margin", "nats"),
    ("tokens asked", "tokens"),
    ("tokens alone", "tokens"),
];

/// Adds the comparisons of runs whose groups the page has; by one part, or by the first in which members
/// differ. Runs without anything to compare have none.
pub(super) fn add(page: &mut Page, runs: &[KeptRun], by: Option<Part>) -> Result<(), RunError> {
    let options = CompareOptions {
        by,
        metric: None,
        cluster: None,
        is_wanted: &|_| true,
        with_flips: false,
        resampling: Resampling::default(),
    };
    let made = match compare::compare_kept(runs, options) {
        Ok(made) => made,
        Err(CompareError::Run(error)) => return Err(error),
        // Most runs have one wording of each data set.
        Err(CompareError::Nothing { .. }) => return Ok(()),
        Err(error) => {
            page.notes.push(Note::worth_knowing(error.to_string()));
            return Ok(());
        }
    };
    page.notes.extend(made.refused.into_iter().map(Note::worth_knowing));
    page.notes.extend(made.attributions.iter().map(|own| {
        let (dataset, metric) = (&own.dataset, &own.metric);
        Note::worth_knowing(format!("{dataset}, points of {metric} lost by stages: {}", own.line()))
    }));
    // Groups stand in the order of the units.
    let keys = runs.iter().flat_map(|run| {
        run.units.iter().map(|unit| MemberKey::of(&run.name, &unit.facts, unit.plan.rule_name))
    });
    let keys: Vec<MemberKey> = keys.collect();
    for own in &made.comparisons {
        let group = |key: &MemberKey| keys.iter().position(|other| other == key);
        let groups = own.members.iter().map(|member| group(&member.key));
        let Some(groups) = groups.collect::<Option<Vec<usize>>>() else { continue };
        mark_flipped(page, &groups);
        page.comparisons.push(shown(own, &groups));
    }
    Ok(())
}

/// A comparison as the page has it.
fn shown(own: &compare::Comparison, groups: &[usize]) -> Comparison {
    let members = own.members.iter().zip(groups).map(|(member, &group)| Member {
        name: member.name.clone(),
        group,
        value: member.value,
        low: member.low,
        high: member.high,
        more: vec![
            member.gold_nats_per_token,
            member.prompt_nats_per_token,
            member.margin,
            Some(member.asked_tokens as f64),
            Some(member.alone_tokens as f64),
        ],
    });
    let pairs = own.pairs.iter().map(|pair| Pair {
        left: pair.left,
        right: pair.right,
        value: pair.metric.value,
        low: pair.metric.low,
        high: pair.metric.high,
        simultaneous_low: pair.metric.simultaneous_low,
        simultaneous_high: pair.metric.simultaneous_high,
        p: pair.metric.p,
        p_adjusted: pair.metric.p_adjusted,
        gained: Some(pair.gained),
        lost: Some(pair.lost),
        is_real: pair.metric.is_real,
        verdict: Some(pair.verdict.clone()),
    });
    let column = |(title, unit): (&str, &str)| ComparisonColumn {
        title: title.to_owned(),
        unit: if title == "margin" { own.margin_unit } else { unit }.to_owned(),
    };
    Comparison {
        title: own.title.clone(),
        by: own.by.to_string(),
        metric: own.metric.clone(),
        unit: unit_name(own.unit).to_owned(),
        is_more_better: (!own.is_more_better).then_some(false),
        verdict: Some(own.verdict.clone()).filter(|verdict| !verdict.is_empty()),
        notes: own.notes.clone(),
        members: members.collect(),
        columns: COLUMNS.into_iter().map(column).collect(),
        pairs: pairs.collect(),
    }
}

/// Marks the samples that are right in one of the groups and wrong in another.
fn mark_flipped(page: &mut Page, groups: &[usize]) {
    let starts: Vec<usize> = page
        .groups
        .iter()
        .scan(0, |next, group| {
            let start = *next;
            *next += group.samples;
            Some(start)
        })
        .collect();
    let places: Vec<usize> = groups
        .iter()
        .flat_map(|&group| starts[group]..starts[group] + page.groups[group].samples)
        .collect();
    let mut seen: HashMap<u32, Flags> = HashMap::new();
    for sample in places.iter().map(|&place| &page.samples[place]) {
        *seen.entry(sample.row).or_default() |= sample.flags;
    }
    for place in places {
        let sample = &mut page.samples[place];
        if seen.get(&sample.row).is_some_and(|all| all.has(Flags::RIGHT | Flags::WRONG)) {
            sample.flags |= Flags::FLIPPED;
        }
    }
}
