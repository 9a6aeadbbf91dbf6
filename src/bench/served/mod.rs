//! How fast a model behind a server answers: `AISBench`'s performance figures.
//!
//! Requests are sent by loads, so many at once or so many a second, and every time counts from when a request was to be
//! sent. Figures of tokens are figures of tokens and not of the pieces in which they come; where it is not known how many
//! tokens a piece holds, they are not there. Failed requests are counted and are in nothing else. What this program delays
//! itself is measured beside, and a server that falls behind a rate is told of. Each request opens a connection, so that no
//! answer can be taken for another's; opening it is part of the time to the first token.
//!
//! [`MeasuredLoad`] is the arithmetic, on records alone; `asking` has the clock; the network is `answer::served`'s.

mod arrivals;
mod asking;
mod client_lag;
mod distribution;
mod error;
mod figures;
mod load;
mod metronome;
mod notes;
mod page;
mod plot;
mod prompts;
mod record;
mod report;
mod saturation;
mod token_counts;

use std::path::PathBuf;

use jiff::civil::DateTime;
use rand_mt::Mt64;

pub use self::{
    arrivals::arrival_seconds,
    distribution::Distribution,
    error::ServedBenchError,
    figures::MeasuredLoad,
    load::{ArrivalKind, Load},
    page::page,
    record::{AnswerRecord, PieceRecord, RequestRecord},
    report::{ClientLag, Failure, LoadReport, ServedBenchReport},
    saturation::Saturation,
};
use self::{
    asking::{Asked, Asker, Schedule},
    prompts::BenchPrompt,
};
use crate::{
    answer::served::TimedServer,
    model::Tokenizer,
    plan::{ModelPlan, PlanSources, RunPlan},
    prepare::{Progress, ReadyRun},
};

/// Most words of all made-up prompts of a load: some 2 GB.
const MOST_WORDS: usize = 1 << 28;

/// What a server is asked.
#[derive(Clone, Debug)]
pub enum ServedPrompts {
    /// Words, about so many tokens of them, each otherwise.
    MadeUp {
        /// Tokens of a prompt, about.
        prompt_tokens: usize,
        /// Most tokens of an answer.
        output_tokens: usize,
    },
    /// The prompts of configs.
    Configs {
        /// The configs.
        configs: Vec<PathBuf>,
        /// Only so many test samples of each data set.
        limit: Option<usize>,
        /// What chat templates that write a date are told.
        now: DateTime,
    },
}

/// How a server is measured.
#[derive(Clone, Debug)]
pub struct ServedBenchOptions {
    /// The loads, in order.
    pub loads: Vec<Load>,
    /// When the requests of a rate come.
    pub arrivals: ArrivalKind,
    /// Most requests of a rate that are under way at once.
    pub most_at_once: usize,
    /// Requests of each load; nothing for [`Load::usual_requests`].
    pub requests: Option<usize>,
    /// Requests before each load, which are in no figure.
    pub warm_up_requests: usize,
    /// Draws made-up prompts and arrivals.
    pub seed: u64,
}

/// Measures a model behind a server under every load.
///
/// # Errors
/// The server cannot be asked, answers nothing before the first load, or there are no prompts.
pub fn bench_served(
    model: ModelPlan,
    prompts: &ServedPrompts,
    options: &ServedBenchOptions,
    tokenizer: Option<&Tokenizer>,
    progress: &dyn Progress,
) -> Result<ServedBenchReport, ServedBenchError> {
    let Some(settings) = model.served.clone() else {
        let what = "is no model behind a server".to_owned();
        return Err(crate::answer::served::ServerRefusal::Unclear { name: model.abbr, what }.into());
    };
    let given = given_prompts(model, prompts, progress)?;
    let server = TimedServer::connect(settings)?;
    let asker = Asker { server: &server, tokenizer };
    let mut loads = Vec::with_capacity(options.loads.len());
    let mut asked = 0;
    for (number, &load) in options.loads.iter().enumerate() {
        let mut random = Mt64::new_with_key([options.seed, number as u64]);
        let requests = options.requests.unwrap_or(load.usual_requests());
        let warm_up = options.warm_up_requests;
        let all = warm_up.saturating_add(requests);
        let own = match (prompts, &given) {
            (ServedPrompts::MadeUp { prompt_tokens, output_tokens }, _) => {
                let prompt_tokens = *prompt_tokens;
                if all.saturating_mul(prompt_tokens) > MOST_WORDS {
                    return Err(ServedBenchError::TooMuch { requests: all, prompt_tokens });
                }
                prompts::made_up(all, prompt_tokens, *output_tokens, &mut random)
            }
            // A load goes on where the one before it ended, so that as few as can be are asked twice.
            _ => given.iter().cycle().skip(asked % given.len().max(1)).take(all).cloned().collect(),
        };
        asked += all;
        let (before, measured) = own.split_at(warm_up);
        warm(&asker, before, load)?;
        let (schedule, most_at_once) = match load {
            Load::Concurrency(at_once) => (Schedule::OneAfterAnother, at_once),
            Load::Rate(rate) => {
                let times = arrival_seconds(requests, rate, options.arrivals, &mut random);
                (Schedule::Times(times), options.most_at_once)
            }
        };
        progress.begin(&load.to_string(), requests, 0);
        let outcome = asker.ask(measured, &schedule, most_at_once, &mut || progress.samples(1));
        progress.end();
        let Asked { records, woken_late_seconds, busy_processors } = outcome?;
        let measured = MeasuredLoad {
            load,
            arrivals: options.arrivals,
            most_at_once,
            records: &records,
            woken_late_seconds: &woken_late_seconds,
            busy_processors,
        };
        let mut report = measured.report();
        if !given.is_empty() && asked > given.len() {
            report.notes.push(format!(
                "the configs have {} prompts, and some were sent before: a server that keeps prefixes has read them already",
                given.len()
            ));
        }
        loads.push(report);
    }
    Ok(ServedBenchReport {
        model: server.model().to_owned(),
        address: server.settings().address.to_string(),
        endpoint: server.settings().protocol.endpoint().to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        prompts: words(prompts, given.len()),
        seed: options.seed,
        warm_up_requests: options.warm_up_requests,
        loads,
    })
}

/// Requests that are in no figure: they open what the server opens at the first request, and tell whether it answers at all.
fn warm(asker: &Asker<'_>, prompts: &[BenchPrompt], load: Load) -> Result<(), ServedBenchError> {
    if prompts.is_empty() {
        return Ok(());
    }
    let at_once = match load {
        Load::Concurrency(at_once) => at_once,
        Load::Rate(_) => prompts.len(),
    };
    let asked = asker.ask(prompts, &Schedule::OneAfterAnother, at_once, &mut || {})?;
    let mut failures = asked.records.iter().map(|own| own.outcome.as_ref().err());
    if failures.clone().all(|own| own.is_some()) {
        return Err(ServedBenchError::NoWarmUp {
            name: asker.server.settings().name(),
            requests: prompts.len(),
            what: failures.next().flatten().cloned().unwrap_or_default(),
        });
    }
    Ok(())
}

/// The prompts of configs; none where they are made up.
fn given_prompts(
    model: ModelPlan,
    prompts: &ServedPrompts,
    progress: &dyn Progress,
) -> Result<Vec<BenchPrompt>, ServedBenchError> {
    let ServedPrompts::Configs { configs, limit, now } = prompts else { return Ok(Vec::new()) };
    let sources = PlanSources { configs: configs.clone(), ..PlanSources::default() };
    let mut plan = RunPlan::load_to_view(&sources)?;
    plan.models = vec![model];
    let ready = ReadyRun::prepare(&plan, *limit, None, *now, progress)?;
    let Some(model) = ready.models.first() else { return Ok(Vec::new()) };
    prompts::of_units(&plan, &model.units)
}

fn words(prompts: &ServedPrompts, given: usize) -> String {
    match prompts {
        ServedPrompts::MadeUp { prompt_tokens, output_tokens } => format!(
            "made-up prompts of about {prompt_tokens} tokens, answers of at most {output_tokens}"
        ),
        ServedPrompts::Configs { configs, .. } => {
            let names = configs.iter().map(|own| own.display().to_string()).collect::<Vec<_>>();
            format!("{given} prompts of {}", names.join(", "))
        }
    }
}
