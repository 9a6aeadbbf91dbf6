//! What a page says of its runs as a whole.

use jiff::civil::DateTime;

use crate::{
    evaluate::Unit,
    kept_run::{
        RunFacts,
        run::{KeptRun, KeptUnit},
    },
    report::{
        FamilyRow, ResultRow,
        page::{Figure, Run},
    },
};

/// More names are counted instead of told.
const MOST_NAMES: usize = 3;

/// The heading of the page.
pub(super) fn title(runs: &[KeptRun]) -> String {
    let names = |name: fn(&KeptUnit) -> &str, several: &str| {
        let mut names: Vec<&str> = Vec::new();
        for own in runs.iter().flat_map(|run| &run.units).map(name) {
            if !names.contains(&own) {
                names.push(own);
            }
        }
        if names.len() > MOST_NAMES {
            format!("{} {several}", names.len())
        } else {
            names.join(", ")
        }
    };
    let datasets = names(|unit| unit.facts.dataset.as_str(), "data sets");
    let models = names(|unit| unit.facts.model.as_str(), "models");
    match runs {
        [_] => format!("{datasets} · {models}"),
        several => format!("{} runs: {datasets} · {models}", several.len()),
    }
}

/// A figure of a group.
pub(super) fn figure(group: usize, row: &ResultRow) -> Figure {
    Figure {
        group,
        metric: row.metric.clone(),
        unit: unit_name(row.unit).to_owned(),
        value: Some(row.value).filter(|value| value.is_finite()),
        low: row.interval_low,
        high: row.interval_high,
        samples: row.samples,
        failed: row.failed,
    }
}

pub(super) fn unit_name(unit: Unit) -> &'static str {
    match unit {
        Unit::Percent => "percent",
        Unit::NatsPerToken => "nats_per_token",
        Unit::Number => "number",
    }
}

/// The figures of data sets that belong together, in a line.
pub(super) fn family_line(family: &FamilyRow) -> String {
    let FamilyRow { family: name, model, metric, weighted, plain, unit, .. } = family;
    let interval = match (weighted.interval_low, weighted.interval_high) {
        (Some(low), Some(high)) => format!(" (95 % interval {low:.2} to {high:.2})"),
        _ => String::new(),
    };
    format!(
        "{name}, {} data sets, {model}: {metric} {:.2} {unit}{interval} weighted by samples or the group's own weights, \
         {:.2} plain",
        family.datasets.len(),
        weighted.value,
        plain.value
    )
}

/// A run: when, where, how, and how much.
pub(super) fn about_run(run: &KeptRun, asked_tokens: usize) -> Run {
    let RunFacts { command_line, version, machine, started, work, .. } = &run.source_facts;
    let text = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    Run {
        name: run.name.clone(),
        started: text(started),
        seconds: seconds(&run.source_facts),
        machine: text(machine),
        command: text(&command_line.join(" ")),
        program: text(version).map(|version| format!("surprisal {version}")),
        asked_tokens: Some(asked_tokens),
        computed_tokens: Some(work.computed_tokens),
        reused_tokens: Some(work.reused_tokens),
    }
}

/// From the beginning to the end, as the clock said.
fn seconds(facts: &RunFacts) -> Option<f64> {
    let started: DateTime = facts.started.parse().ok()?;
    let finished: DateTime = facts.finished.as_ref()?.parse().ok()?;
    let seconds = started.duration_until(finished).as_secs_f64();
    // Half a second is as exact as anybody asks.
    (seconds >= 0.0).then(|| (seconds * 10.0).round() / 10.0)
}
