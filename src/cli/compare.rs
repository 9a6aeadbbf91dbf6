//! `surprisal compare`: which wording, model, rule or run is better, by how much, and whether that is real.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::ensure;

use super::{
    SOME_FAILED,
    args::{AskingOptions, CompareArguments},
    comparison,
    output::{print, print_json, stdout_columns, talk},
    progress::TerminalProgress,
    run, shipped,
};
use crate::{
    compare::{self, CompareOptions, Comparisons},
    kept_run,
    model::Activations,
    plan::{PlanSources, RunPlan},
    registry::Pattern,
    statistics::Resampling,
};

/// How the name of a config ends.
const CONFIG_ENDING: &str = ".py";

/// Runs what is a config, and compares.
pub(super) fn compare(arguments: &CompareArguments) -> anyhow::Result<ExitCode> {
    compare_with(arguments, &run::start(&arguments.asking)?)
}

/// The same once threads are started.
pub(super) fn compare_with(
    arguments: &CompareArguments,
    progress: &TerminalProgress,
) -> anyhow::Result<ExitCode> {
    let asking = &arguments.asking;
    let tasks = arguments.tasks.choice(arguments.shots);
    if tasks.is_none() && !arguments.names.iter().any(|name| is_config(name)) {
        ensure_nothing_is_asked(asking, &arguments.models)?;
    }
    let names = arguments.names.iter().map(|name| own_name(name, asking, progress));
    let names: Vec<String> = names.collect::<anyhow::Result<_>>()?;
    let (mut runs, mut pages, mut code) = (Vec::new(), Vec::new(), 0);
    let mut asked = |mut plan: RunPlan| -> anyhow::Result<String> {
        let outcome = run::ask(&mut plan, asking, progress)?;
        code = code.max(run::tell(&outcome, asking, false));
        pages.extend(outcome.page);
        Ok(outcome.name)
    };
    if tasks.is_some() {
        let models = arguments.models.clone();
        let sources = PlanSources { models, tasks, ..PlanSources::default() };
        runs.push(asked(RunPlan::load_with(&sources)?)?);
    }
    for name in names {
        runs.push(if is_config(&name) {
            asked(RunPlan::load(&[shipped::config(Path::new(&name))?], &arguments.models)?)?
        } else {
            name
        });
    }
    let patterns: Vec<Pattern> = asking.datasets.iter().map(|text| Pattern::new(text)).collect();
    let is_wanted =
        |abbr: &str| patterns.is_empty() || patterns.iter().any(|pattern| pattern.matches(abbr));
    let options = CompareOptions {
        by: arguments.by,
        metric: arguments.metric.as_deref(),
        cluster: arguments.cluster.as_deref(),
        is_wanted: &is_wanted,
        with_flips: arguments.flips.is_some(),
        resampling: Resampling { resamples: arguments.resamples, seed: arguments.seed },
    };
    let found = compare::compare(&asking.work_dir, &runs, options, progress)?;
    if arguments.json {
        print_json(&found)?;
    } else {
        print(&comparison::text(&found, arguments.flips, stdout_columns()))?;
        for line in found.refused.iter().chain(&found.notes) {
            talk(line);
        }
        for page in pages {
            talk(&format!("page: {}", page.display()));
        }
    }
    if has_failed(&found) {
        code = code.max(SOME_FAILED);
    }
    Ok(ExitCode::from(code))
}

/// A run's own name, before another run is asked.
fn own_name(
    name: &str,
    asking: &AskingOptions,
    progress: &TerminalProgress,
) -> anyhow::Result<String> {
    if is_config(name) {
        return Ok(name.to_owned());
    }
    Ok(kept_run::own_name(&asking.work_dir, name, progress)?)
}

fn is_config(name: &str) -> bool {
    name.ends_with(CONFIG_ENDING)
}

/// Whether a sample that is compared has no answer.
fn has_failed(found: &Comparisons) -> bool {
    let mut members = found.comparisons.iter().flat_map(|comparison| &comparison.members);
    members.any(|member| member.failed > 0)
}

/// What says how configs are run means nothing to runs that are kept.
fn ensure_nothing_is_asked(asking: &AskingOptions, models: &[PathBuf]) -> anyhow::Result<()> {
    let given = [
        ("--limit", asking.limit.is_some()),
        ("--model", !models.is_empty()),
        ("--dtype", asking.dtype.is_some()),
        ("--activations", asking.activations != Activations::Exact),
        ("--fresh", asking.fresh),
        ("--strict", asking.strict),
        ("--posix", asking.posix),
        ("--batch-tokens", asking.engine.batch_tokens.is_some()),
        ("--kv-bytes", asking.engine.kv_bytes.is_some()),
    ];
    for (name, is_given) in given {
        ensure!(
            !is_given,
            "{name} says how a config is run or tasks are; there is no --tasks, and no name ends in {CONFIG_ENDING}"
        );
    }
    Ok(())
}
