//! `surprisal run`: from configs to a table of scores.

use std::{collections::BTreeMap, process::ExitCode};

use super::{
    ERROR, SOME_FAILED,
    args::{AskingOptions, RunArguments},
    chosen_datasets, comparison,
    interrupt::on_interrupt,
    output::{print, print_json, stdout_columns, talk},
    progress::TerminalProgress,
    results, shard, threads,
};
use crate::{
    compare::{self, CompareError, CompareOptions, Comparisons, Part},
    kept_run::{RunOutcome, TaskFilesOptions, Unscored, write_task_files},
    plan::{RunJudge, RunPlan},
    prepare::Progress,
    report,
    run::{self, RunOptions},
    statistics::Resampling,
    warn,
};

/// Runs the configs and prints the results.
pub(super) fn run(arguments: &RunArguments) -> anyhow::Result<ExitCode> {
    if arguments.print_config {
        let sources = arguments.sources()?;
        if sources.tasks.is_some() {
            anyhow::bail!(
                "--print-config prints a config, and tasks are none: their files say it all"
            );
        }
        let plan = RunPlan::load_to_view(&sources)?;
        print(&plan.dump())?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(choice) = arguments.shard {
        return shard::run_shard(arguments, choice);
    }
    run_with(arguments, &start(&arguments.options.asking)?)
}

/// The same once threads are started.
pub(super) fn run_with(
    arguments: &RunArguments,
    progress: &TerminalProgress,
) -> anyhow::Result<ExitCode> {
    let typed = &arguments.options;
    let started = std::time::Instant::now();
    let mut plan = RunPlan::load_with(&arguments.sources()?)?;
    anyhow::ensure!(
        typed.format.is_none() || plan.tasks.is_some(),
        "--format lm-eval writes files of lm-eval's tasks; --tasks names them"
    );
    let outcome = ask(&mut plan, &typed.asking, progress)?;
    show(&plan, &outcome, typed, started, progress)
}

/// Prints what a run came to, and writes what else was asked for.
pub(super) fn show(
    plan: &RunPlan,
    outcome: &RunOutcome,
    typed: &super::args::RunOptions,
    started: std::time::Instant,
    progress: &TerminalProgress,
) -> anyhow::Result<ExitCode> {
    if typed.format.is_some() {
        let files = TaskFilesOptions {
            work_dir: typed.asking.work_dir.clone(),
            run: outcome.name.clone(),
            folder: outcome.folder.join("lm_eval"),
            date_seconds: std::time::SystemTime::now()
                .duration_since(std::time::UNIX_EPOCH)
                .map_or(0.0, |since| since.as_secs_f64()),
            total_seconds: started.elapsed().as_secs_f64(),
            limit: typed.asking.limit,
        };
        for path in write_task_files(plan, &files, progress)? {
            talk(&format!("lm-eval's files: {}", path.display()));
        }
    }
    let compared = stages_with_variants(plan);
    if typed.json {
        let mut told = serde_json::to_value(outcome)?;
        let found = compared_stages(&compared, outcome, typed, progress);
        if let (Some(found), Some(told)) = (found, told.as_object_mut())
            && !found.attributions.is_empty()
        {
            told.insert("attributions".to_owned(), serde_json::to_value(&found.attributions)?);
        }
        print_json(&told)?;
    } else {
        let hidden = |name: &str| compared.get(name).is_some_and(|is_base| !is_base);
        print(&results::text(outcome, stdout_columns(), typed.all, &hidden))?;
        print_stages(&compared, outcome, typed, progress)?;
        talk("");
    }
    Ok(ExitCode::from(tell(outcome, &typed.asking, !typed.json)))
}

/// Stages that have variants, each with whether it is of the entry itself and no variant.
fn stages_with_variants(plan: &RunPlan) -> BTreeMap<&str, bool> {
    let staged = plan.datasets.iter().filter(|own| own.stage.is_some());
    let named = staged.filter_map(|own| Some((own.abbr.as_str(), own.variant.as_ref()?.is_base())));
    named.collect()
}

/// Stages that have variants are compared at once: what a stage is worth shows beside the same without it.
fn print_stages(
    compared: &BTreeMap<&str, bool>,
    outcome: &RunOutcome,
    typed: &super::args::RunOptions,
    progress: &TerminalProgress,
) -> anyhow::Result<()> {
    if let Some(found) = compared_stages(compared, outcome, typed, progress) {
        print(&format!("\n{}", comparison::of_stages(&found, stdout_columns())))?;
    }
    Ok(())
}

/// The comparison of stages that have variants; what is left out of it is told.
fn compared_stages(
    compared: &BTreeMap<&str, bool>,
    outcome: &RunOutcome,
    typed: &super::args::RunOptions,
    progress: &TerminalProgress,
) -> Option<Comparisons> {
    if compared.is_empty() {
        return None;
    }
    let options = CompareOptions {
        by: Some(Part::Variant),
        metric: None,
        cluster: None,
        is_wanted: &|abbr| compared.contains_key(abbr),
        with_flips: false,
        resampling: Resampling::default(),
    };
    let work_dir = &typed.asking.work_dir;
    match compare::compare(work_dir, std::slice::from_ref(&outcome.name), options, progress) {
        Ok(found) => {
            found.refused.iter().for_each(|line| talk(line));
            return Some(found);
        }
        Err(CompareError::Nothing { .. }) => {}
        Err(error) => talk(&format!("the stages are not compared: {error}")),
    }
    None
}

/// Starts the threads that compute, and what says how far they are when they are stopped.
pub(super) fn start(asking: &AskingOptions) -> anyhow::Result<TerminalProgress> {
    threads::start(asking.engine.threads)?;
    let progress = TerminalProgress::new();
    let stopped = progress.clone();
    on_interrupt(move || stopped.stopped());
    Ok(progress)
}

/// Asks what a plan says, or finds that it was asked before.
pub(super) fn ask(
    plan: &mut RunPlan,
    asking: &AskingOptions,
    progress: &TerminalProgress,
) -> anyhow::Result<RunOutcome> {
    let options = options(asking);
    choose_judge(plan, asking)?;
    chosen_datasets::keep(plan, &asking.datasets)?;
    if let Some(judge) = &asking.judge
        && plan.datasets.iter().all(|dataset| dataset.evaluation.judge_rounds() == 0)
    {
        let judge = judge.display();
        progress.note(&format!(
            "--judge {judge}: nothing is asked of it, no data set's metric asks a judge"
        ));
    }
    Ok(run::execute(plan, &options, progress)?)
}

/// The judge that was typed takes the place of the config's.
pub(super) fn choose_judge(plan: &mut RunPlan, asking: &AskingOptions) -> anyhow::Result<()> {
    if let Some(judge) = &asking.judge {
        plan.judge = RunJudge::typed(judge)?;
    }
    Ok(())
}

/// How to run, as it was typed.
pub(super) fn options(asking: &AskingOptions) -> RunOptions {
    RunOptions {
        work_dir: asking.work_dir.clone(),
        limit: asking.limit,
        devices: asking.devices.iter().map(|device| device.settle()).collect(),
        dtype: asking.dtype.map(|dtype| dtype.0),
        activations: asking.activations,
        batch_tokens: asking.engine.batch_tokens,
        kv_bytes: asking.engine.kv_bytes,
        most_tokens: None,
        has_page: true,
        is_fresh: asking.fresh,
        reuses_served: asking.reuse_served,
        with_posix: asking.posix,
        keeps_image_rows: asking.keep_image_rows,
        allows_code: asking.allow_code,
        strict: asking.strict,
        now: super::now(),
        clock: super::now,
        command_line: std::env::args().collect(),
        machine: machine(),
    }
}

/// Says what a run has cost, where it lies and what is wrong with it; gives the exit code.
pub(super) fn tell(outcome: &RunOutcome, asking: &AskingOptions, shows_folder: bool) -> u8 {
    if outcome.is_from_store {
        talk(&format!(
            "0 tokens computed: the same run is finished and kept in {}; `run --fresh` computes anew",
            asking.work_dir.display()
        ));
    } else if outcome.work.reused_questions > 0 {
        talk(&report::reuse_line(
            outcome.work.questions,
            outcome.work.reused_questions,
            outcome.work.computed_tokens,
        ));
    }
    if shows_folder {
        talk(&format!("outputs: {}", outcome.folder.display()));
        for facts in &outcome.posix {
            talk(&facts.line());
        }
        if let Some(page) = &outcome.page {
            talk(&format!("page: {}", page.display()));
        }
    }
    for line in Unscored::lines(&outcome.unscored, &outcome.name) {
        talk(&line);
    }
    for line in warn::lines(&outcome.warnings) {
        talk(&line);
    }
    for error in &outcome.errors {
        talk(&format!("error: {error}"));
    }
    if !outcome.errors.is_empty() {
        return ERROR;
    }
    if asking.strict && !outcome.warnings.is_empty() {
        talk("error: there are warnings about the answers, and --strict makes them errors");
        return ERROR;
    }
    if outcome.failed_samples > 0 {
        talk(&format!(
            "samples without an answer: {}; `surprisal export latest -w {}` says why in the column error",
            outcome.failed_samples,
            asking.work_dir.display()
        ));
        return SOME_FAILED;
    }
    0
}

/// The machine, to be kept with the run.
pub(super) fn machine() -> String {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
    format!("{system} {processor}, {threads} threads, {}", crate::ops::instruction_set())
}
