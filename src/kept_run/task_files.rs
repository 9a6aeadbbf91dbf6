//! lm-eval's files of a run: `results_….json` and a `samples_….jsonl` for each task, as its `EvaluationTracker` writes them.
//!
//! They are made from the store alone, model by model, in a folder named after the model. Groups are those that were asked
//! for; what lm-eval says of its surroundings, such as the version of torch, is left out.

use std::path::PathBuf;

use indexmap::IndexMap;

use super::{RunError, kept_sample::KeptSample, run::KeptRun};
use crate::{
    config::functions::FunctionFiles,
    evaluate::{EvaluateError, lm_eval::TaskAnswers},
    infer::Outcome,
    plan::{AskedTasks, RunPlan},
    prepare::Progress,
    store::write_atomically,
    tasks::{
        RunFacts as TrackedFacts, ScoreOptions, ScoredTask, TaskError, TaskPlan, TaskResults,
        TaskValue, folder_name, results_file, samples_file,
    },
};

/// What the files say of the run that the store does not know.
#[derive(Clone, Debug)]
pub struct TaskFilesOptions {
    /// The working folder.
    pub work_dir: PathBuf,
    /// The run's name.
    pub run: String,
    /// The folder in which they are written.
    pub folder: PathBuf,
    /// When they are written, in seconds since 1970.
    pub date_seconds: f64,
    /// How long the command took, in seconds.
    pub total_seconds: f64,
    /// How many documents of each task were asked for at most.
    pub limit: Option<usize>,
}

/// Writes the files of a run of tasks; gives the paths of the results.
///
/// # Errors
///
/// Where the run cannot be read, the answers to a task cannot be scored, or a file cannot be written.
pub fn write_task_files(
    plan: &RunPlan,
    options: &TaskFilesOptions,
    progress: &dyn Progress,
) -> Result<Vec<PathBuf>, RunError> {
    let Some(asked) = &plan.tasks else { return Ok(Vec::new()) };
    let run = KeptRun::open(&options.work_dir, &options.run, progress)?;
    let functions = FunctionFiles::new(&asked.folder);
    let mut written = Vec::new();
    for model in &plan.models {
        let name = model.path.to_string_lossy().into_owned();
        let folder = options.folder.join(folder_name(&name));
        let file = |name: String| folder.join(name);
        let mut scored: Vec<ScoredTask> = Vec::new();
        for unit in run.units.iter().filter(|unit| unit.facts.model == model.abbr) {
            let found = plan.datasets.iter().find(|dataset| dataset.abbr == unit.facts.dataset);
            let Some(task) = found.and_then(|dataset| dataset.task.as_deref()) else { continue };
            let failed = |error: TaskError| RunError::Evaluate {
                dataset: task.name.clone(),
                model: model.abbr.clone(),
                source: Box::new(EvaluateError::Task { what: error.to_string() }),
            };
            let samples = run.samples(unit)?;
            let answers = TaskAnswers::new(task, samples.iter().filter_map(answered));
            let documents = Some(samples.len() + unit.facts.left_out);
            let shots = asked.options.num_fewshot;
            let score = ScoreOptions { shots, documents, ..ScoreOptions::default() };
            let of_task = task
                .scoring(Some(&functions))
                .and_then(|scoring| scoring.scored(&answers.answered(), &score))
                .map_err(failed)?;
            let text = samples_file(&answers.answered(), &of_task);
            let path = file(format!("samples_{}_{}.jsonl", task.name, options.run));
            write_atomically(&path, text.as_bytes())?;
            scored.push(of_task);
        }
        let results = TaskResults::of(&asked.members, &scored)
            .map_err(|error| RunError::Prepare(crate::plan::PlanError::Task(error).into()))?;
        let facts = tracked(plan, asked, options, &name);
        let path = file(format!("results_{}.json", options.run));
        write_atomically(&path, results_file(&results, &scored, &facts).as_bytes())?;
        written.push(path);
    }
    Ok(written)
}

/// A sample that has an answer.
fn answered(kept: &KeptSample) -> Option<(&crate::dataset::Sample, &crate::infer::Record)> {
    let is_answered = !matches!(kept.record.outcome, Outcome::Failed { .. });
    is_answered.then_some((&kept.sample, &kept.record))
}

/// What is said of the run.
fn tracked<'a>(
    plan: &'a RunPlan,
    asked: &'a AskedTasks,
    options: &TaskFilesOptions,
    model: &'a str,
) -> TrackedFacts<'a> {
    let tasks = plan.datasets.iter().filter_map(|dataset| dataset.task.as_deref());
    let shots = asked.options.num_fewshot;
    let config = |task: &TaskPlan| (task.name.clone(), task.config(shots));
    let limit = options.limit.map_or(TaskValue::None, |limit| TaskValue::Whole(limit as i128));
    let run: [(&str, TaskValue); 9] = [
        ("model", "surprisal".into()),
        ("model_args", TaskValue::Text(format!("pretrained={model}"))),
        ("batch_size", TaskValue::None),
        ("batch_sizes", TaskValue::List(Vec::new())),
        ("device", TaskValue::None),
        ("use_cache", TaskValue::None),
        ("limit", limit),
        ("bootstrap_iters", TaskValue::Whole(crate::tasks::RESAMPLES as i128)),
        ("gen_kwargs", TaskValue::None),
    ];
    TrackedFacts {
        task_configs: tasks.map(config).collect::<IndexMap<_, _>>(),
        config: run.map(|(key, value)| (key.to_owned(), value)).into(),
        date: options.date_seconds,
        model_source: "surprisal",
        model_name: model,
        system_instruction: asked.options.system_instruction.as_deref(),
        is_multiturn: asked.options.fewshot_as_multiturn,
        total_seconds: options.total_seconds,
        ..TrackedFacts::default()
    }
}
