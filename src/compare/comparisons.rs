//! Everything that can be compared in some runs.

use std::path::Path;

use indexmap::IndexSet;
use serde::Serialize;

use super::{
    Attribution, CompareError, Comparison, MemberKey, Part,
    attribution::attributions,
    common_rows::CommonRows,
    comparison::Settings,
    grouping::{self, Group},
    measured_unit::{MeasuredUnit, Wanted},
    metric,
};
use crate::{
    evaluate::Unit,
    kept_run::{
        find,
        run::{KeptRun, KeptUnit},
    },
    prepare::Progress,
    statistics::Resampling,
};

/// An error names so many members at most.
const NAMED: usize = 12;

/// What is compared in some runs, and how.
#[derive(Clone, Copy)]
pub struct CompareOptions<'a> {
    /// What members may differ in; without it, the first part in which they do.
    pub by: Option<Part>,
    /// The metric; without it, the first that every member has.
    pub metric: Option<&'a str>,
    /// The column whose values make clusters.
    pub cluster: Option<&'a str>,
    /// Whether a data set, by its abbr, is wanted.
    pub is_wanted: &'a dyn Fn(&str) -> bool,
    /// Whether the samples that changed are listed.
    pub with_flips: bool,
    /// How often samples are drawn anew, and from which seed.
    pub resampling: Resampling,
}

/// Every comparison that could be made.
#[derive(Clone, Debug, Serialize)]
pub struct Comparisons {
    /// They.
    pub comparisons: Vec<Comparison>,
    /// Which stages lose the points that chains of stages miss.
    pub attributions: Vec<Attribution>,
    /// Members and comparisons that cannot be judged, and why.
    pub refused: Vec<String>,
    /// What else is to be known.
    pub notes: Vec<String>,
    /// The runs.
    pub runs: Vec<ComparedRun>,
}

/// What the answers of a run have cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ComparedRun {
    /// Its name.
    pub name: String,
    /// Tokens that went through a model.
    pub computed_tokens: usize,
    /// Tokens of questions whose answers were known, each question in full.
    pub reused_tokens: usize,
}

/// A member that nothing has been read of yet.
struct Found<'a> {
    key: MemberKey,
    run: &'a KeptRun,
    unit: &'a KeptUnit,
}

/// Compares what can be compared in kept runs of a working folder, each by its name, or `latest`.
pub fn compare(
    work_dir: &Path,
    names: &[String],
    options: CompareOptions<'_>,
    progress: &dyn Progress,
) -> Result<Comparisons, CompareError> {
    find::mended(work_dir, progress, || match attempt(work_dir, names, options, progress) {
        Err(CompareError::Run(error)) => Err(error),
        other => Ok(other),
    })?
}

fn attempt(
    work_dir: &Path,
    names: &[String],
    options: CompareOptions<'_>,
    progress: &dyn Progress,
) -> Result<Comparisons, CompareError> {
    let mut runs: Vec<KeptRun> = Vec::new();
    for name in names {
        let run = KeptRun::open(work_dir, name, progress)?;
        if runs.iter().all(|known| known.name != run.name) {
            runs.push(run);
        }
    }
    compare_kept(&runs, options)
}

/// The same of runs that are open.
pub(crate) fn compare_kept(
    runs: &[KeptRun],
    options: CompareOptions<'_>,
) -> Result<Comparisons, CompareError> {
    let all: Vec<Found<'_>> = runs
        .iter()
        .flat_map(|run| run.units.iter().map(move |unit| (run, unit)))
        .map(|(run, unit)| {
            let key = MemberKey::of(&run.name, &unit.facts, unit.plan.rule_name);
            Found { key, run, unit }
        })
        .collect();
    let found: Vec<&Found<'_>> =
        all.iter().filter(|own| (options.is_wanted)(&own.unit.facts.dataset)).collect();
    let keys: Vec<MemberKey> = found.iter().map(|own| own.key.clone()).collect();
    let groups = grouping::groups(&keys, options.by);
    if groups.is_empty() {
        // Where the names that are wanted mean none, all are told.
        let there = if keys.is_empty() { &all } else { &Vec::new() };
        let described = there.iter().chain(found.iter().copied()).map(|own| own.key.described());
        return Err(CompareError::Nothing { by: options.by, there: listed(described.collect()) });
    }
    let mut made = Comparisons {
        comparisons: Vec::new(),
        attributions: Vec::new(),
        refused: Vec::new(),
        notes: notes(&keys, &groups, options.by),
        runs: runs.iter().map(ComparedRun::of).collect(),
    };
    for group in &groups {
        let members: Vec<&Found<'_>> = group.members.iter().map(|&at| found[at]).collect();
        if let Some(comparison) = compared(&members, group.by, options, &mut made.refused)? {
            made.comparisons.push(comparison);
        }
    }
    for run in runs {
        made.attributions.extend(attributions(run, options.metric, options.is_wanted)?);
    }
    if made.comparisons.is_empty() {
        return Err(CompareError::Refused { reasons: made.refused });
    }
    Ok(made)
}

/// Members that differ in one part, compared; nothing where they cannot be, and why.
fn compared(
    members: &[&Found<'_>],
    by: Part,
    options: CompareOptions<'_>,
    refused: &mut Vec<String>,
) -> Result<Option<Comparison>, CompareError> {
    let name = |own: &Found<'_>| format!("{by} {} of {}", own.key.part(by), own.key.dataset);
    let Some(metric) = options.metric.or_else(|| common_metric(members)) else {
        let dataset = &members[0].key.dataset;
        refused.push(format!("{dataset} has no metric: its entry names no evaluator"));
        return Ok(None);
    };
    let mut usable: Vec<(&Found<'_>, Unit)> = Vec::new();
    for own in members {
        match usable_unit(own.unit, metric) {
            Ok(unit) if usable.first().is_none_or(|(_, first)| *first == unit) => {
                usable.push((own, unit));
            }
            Ok(unit) => refused.push(format!("{} is left out: {metric} is in {unit}", name(own))),
            Err(why) => refused.push(format!("{} is left out: {why}", name(own))),
        }
    }
    let [(_, unit), _, ..] = *usable else { return Ok(None) };
    let wanted = Wanted { metric, cluster: options.cluster, with_answers: options.with_flips };
    let units = usable
        .iter()
        .map(|(own, _)| MeasuredUnit::of(own.run, own.unit, &own.key, wanted))
        .collect::<Result<Vec<_>, _>>()?;
    let units: Vec<&MeasuredUnit> = units.iter().collect();
    let mut rows = CommonRows::of(&units, by);
    refused.append(&mut rows.refused);
    if rows.members.len() < 2 {
        return Ok(None);
    }
    if rows.places.is_empty() {
        let dataset = &members[0].key.dataset;
        refused.push(format!("{dataset}: no row is the same in every {by}"));
        return Ok(None);
    }
    let settings = Settings {
        by,
        metric,
        unit,
        cluster: options.cluster,
        with_flips: options.with_flips,
        resampling: options.resampling,
    };
    let mut comparison = Comparison::of(&units, rows, settings);
    comparison.add_posix(members[0].run);
    Ok(Some(comparison))
}

/// The first metric whose samples' scores every member has, or else the first of all.
fn common_metric<'a>(members: &[&Found<'a>]) -> Option<&'a str> {
    let names = || members.iter().flat_map(|own| own.unit.scores.iter().map(|row| &*row.metric));
    let is_usable = |name: &&str| members.iter().all(|own| usable_unit(own.unit, name).is_ok());
    names().find(is_usable).or_else(|| names().next())
}

/// The unit of a member's metric, or why it cannot be compared.
fn usable_unit(unit: &KeptUnit, metric: &str) -> Result<Unit, String> {
    let Some(row) = unit.scores.iter().find(|row| row.metric == metric) else {
        let known: Vec<&str> = unit.scores.iter().map(|row| row.metric.as_str()).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        return Err(format!("it has no metric {metric}; its metrics: {known}"));
    };
    metric::unit_of_mean(row)
        .map_err(|why| format!("{metric} {why} and cannot be compared sample by sample"))
}

/// Members without a comparison, and what else could be compared.
fn notes(keys: &[MemberKey], groups: &[Group], by: Option<Part>) -> Vec<String> {
    let mut notes = Vec::new();
    let used: IndexSet<usize> =
        groups.iter().flat_map(|group| group.members.iter().copied()).collect();
    let alone = (0..keys.len()).filter(|place| !used.contains(place));
    let alone: Vec<String> = alone.map(|place| keys[place].described()).collect();
    if !alone.is_empty() {
        notes.push(format!("nothing to compare with: {}", listed(alone)));
    }
    if by.is_none() {
        let others = grouping::other_parts(keys, groups);
        let others: Vec<String> = others.iter().map(|part| format!("--by {part}")).collect();
        if !others.is_empty() {
            notes.push(format!("also possible: {}", others.join(", ")));
        }
    }
    notes
}

/// Some of many names.
fn listed(names: Vec<String>) -> String {
    let more = names.len().saturating_sub(NAMED);
    let mut shown: Vec<String> = names.into_iter().take(NAMED).collect();
    if more > 0 {
        shown.push(format!("{more} more"));
    }
    if shown.is_empty() { "none".to_owned() } else { shown.join("; ") }
}

impl ComparedRun {
    fn of(run: &KeptRun) -> Self {
        Self {
            name: run.name.clone(),
            computed_tokens: run.source_facts.work.computed_tokens,
            reused_tokens: run.source_facts.work.reused_tokens,
        }
    }
}
