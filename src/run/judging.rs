//! Asking a judge about predictions that are kept.
//!
//! A judge is a model like any other: its prompts are made ready, asked together and kept in the same way, as samples of
//! units of their own behind those of the run. It is loaded after the models it judges are gone.

use std::{collections::BTreeMap, sync::OnceLock};

use rayon::prelude::*;

use super::{
    RunOptions,
    asking::Asking,
    assignment::{Assignment, different_ids},
    fleet::{self, AnsweringModel, Devices},
    identity::KnownModel,
};
use crate::{
    config::{Component, Node},
    dataset::Sample,
    evaluate::{Repeats, judge::REFERENCE},
    infer::{self, InferError, ModelDefaults, Prepared, Task, Tokenize, Wanted},
    kept_run::{
        JudgedFacts, Reevaluation, ReevaluationOptions, RunError, RunOutcome, UnitFacts, WorkDone,
        find,
        judgements::{Judgements, ToJudge},
    },
    model::Checkpoint,
    plan::RunJudge,
    prepare::{
        ModelTokenizer, PrepareError, Progress, ReadyModel, ServedTokenizer, Unit, ready_judge,
    },
    store::{AnswerWriter, KeptToken, SampleRow, Store},
};

/// Most tokens of a reply where the judge's entry says nothing.
const MOST_REPLY_TOKENS: usize = 512;

/// A judge with what asking needs.
pub(super) struct Judge<'r> {
    pub(super) model: &'r ReadyModel<'r>,
    pub(super) known: &'r KnownModel,
    pub(super) devices: &'r Devices,
    pub(super) options: &'r RunOptions,
    /// Whether what the store has replies to is asked as well.
    pub(super) is_fresh: bool,
    pub(super) progress: &'r dyn Progress,
}

/// A unit's questions as an inferencer takes them.
struct Case {
    samples: Vec<Sample>,
    no_examples: Vec<Vec<usize>>,
}

impl Judge<'_> {
    /// Asks whatever the store has no reply to; gives the replies by the place of what is judged.
    pub(super) fn ask(
        &self,
        waiting: &[ToJudge],
        store: &mut Store,
        writer: &mut AnswerWriter,
    ) -> Result<(BTreeMap<usize, Judgements>, WorkDone), RunError> {
        let ReadyModel { plan, source, markup, max_seq_len_tokens, .. } = self.model;
        let of_checkpoint = source.checkpoint().map(|own| ModelTokenizer::of(own, plan));
        let of_server = ServedTokenizer::new(plan);
        let tokenizer: &dyn Tokenize = match &of_checkpoint {
            Some(own) => own,
            None => &of_server,
        };
        let case = |one: &ToJudge| Case {
            samples: one.asked.iter().map(|asked| asked.sample.clone()).collect(),
            no_examples: vec![Vec::new(); one.asked.len()],
        };
        let cases: Vec<Case> = waiting.iter().map(case).collect();
        let mut assignments = Vec::with_capacity(waiting.len());
        for (one, case) in waiting.iter().zip(&cases) {
            let task = Task {
                train: &[],
                test: &case.samples,
                input_columns: &[],
                output_column: Some(REFERENCE),
                assembly: &one.judging.assembly,
                examples: &case.no_examples,
                markup,
                tokenizer,
                max_seq_len_tokens: *max_seq_len_tokens,
                stop_words: &plan.stop_words,
                wanted: Wanted::Nothing,
                found_labels: OnceLock::new(),
            };
            let unit = self.prepared(one, &task)?;
            assignments.push(Assignment::new(unit, task));
        }
        let samples = assignments.iter().map(Assignment::len).sum();
        self.progress.begin(&format!("judged by {}", plan.abbr), samples, 0);
        let mut answering = AnsweringModel::new(self.model, self.known, self.options, self.devices);
        let mut answerer = || answering.answerer();
        let asking = Asking {
            store: &mut *store,
            writer,
            model: &self.known.identity,
            is_fresh: self.is_fresh,
            sharing: None,
            progress: self.progress,
        };
        let work = asking.answer_all(&mut assignments, &mut answerer)?;
        writer.flush()?;
        self.progress.end();
        if let Some(line) = answering.line() {
            self.progress.note(&line);
        }
        let model = self.keep_model(&assignments, store)?;
        let mut judged = BTreeMap::new();
        for (one, assignment) in waiting.iter().zip(&assignments) {
            let (sample_origins, origins) = assignment.origins(&plan.markup);
            let rows: Vec<SampleRow> = assignment.rows(sample_origins).collect();
            let facts = UnitFacts { origins, ..self.unit_facts(one) };
            judged.insert(one.place, Judgements { facts, model, rows });
        }
        Ok((judged, work))
    }

    /// The prompts of a unit's questions.
    fn prepared(&self, one: &ToJudge, task: &Task<'_>) -> Result<Unit, RunError> {
        let plan = self.model.plan;
        let failed = |source: InferError| PrepareError::Infer {
            dataset: one.dataset.clone(),
            model: plan.abbr.clone(),
            source: Box::new(source),
        };
        let component = Component::parse(&Node::from_json(&"GenInferencer".into()))?;
        // A judge's reply is short: where its entry says nothing, half of a small context is left for the prompt.
        let room_tokens = MOST_REPLY_TOKENS.min(task.max_seq_len_tokens / 2);
        let own = one.judging.max_out_len.map(|most| most.min(task.max_seq_len_tokens / 2));
        let max_out_len = own.or(plan.defaults.max_out_len).or(Some(room_tokens));
        let defaults = ModelDefaults { max_out_len, ..plan.defaults };
        let inferencer = infer::build(&component)?.with_defaults(defaults);
        inferencer.check(task).map_err(failed)?;
        let samples = (0..task.test.len()).into_par_iter();
        let samples: Vec<Prepared> = samples
            .map(|sample| inferencer.prepare(task, sample))
            .collect::<Result<_, _>>()
            .map_err(failed)?;
        let cut = samples.iter().filter(|sample| sample.truncated_tokens() > 0).count();
        if cut > 0 {
            self.progress.note(&format!(
                "data set {}, model {}: {cut} of {} questions to the judge {} were cut to fit {} tokens",
                one.dataset,
                one.model,
                samples.len(),
                plan.abbr,
                task.max_seq_len_tokens
            ));
        }
        Ok(Unit { inferencer, samples, notes: Vec::new(), warnings: Vec::new() })
    }

    /// Keeps the judge and what its tokens spell; gives its number.
    fn keep_model(&self, assignments: &[Assignment<'_>], store: &Store) -> Result<i64, RunError> {
        let ReadyModel { plan, source, .. } = self.model;
        let facts = source.facts(plan);
        let number = store.model(&self.known.identity.key, &facts.to_string())?;
        let Some(tokenizer) = source.checkpoint().map(Checkpoint::tokenizer) else {
            return Ok(number);
        };
        let ids = different_ids(assignments);
        store.write_tokens(number, &ids, &|id| KeptToken {
            text: tokenizer.token_text(id),
            bytes: tokenizer.token_bytes(id),
            is_special: tokenizer.is_special(id),
        })?;
        Ok(number)
    }

    fn unit_facts(&self, one: &ToJudge) -> UnitFacts {
        let plan = self.model.plan;
        let rule = plan.node.get("pred_postprocessor").map(Node::to_json);
        UnitFacts {
            dataset: one.dataset.clone(),
            model: plan.abbr.clone(),
            dtype: self.known.dtype.clone(),
            mode: "gen".to_owned(),
            version: String::new(),
            eval_cfg: serde_json::Value::Null,
            pred_postprocessor: rule.unwrap_or_default(),
            repeats: Repeats::default(),
            input_columns: Vec::new(),
            origins: Vec::new(),
            stage_columns: Vec::new(),
            links: Vec::new(),
            left_out: 0,
            judged: Some(JudgedFacts {
                place: one.place,
                model: one.model.clone(),
                key: one.judging.key(&one.asked),
                file_suffix: one.judging.file_suffix.to_owned(),
            }),
        }
    }
}

/// Has a judge read the predictions of a run that is kept, and scores the run with what it says. Nothing that was asked
/// before is asked again.
pub fn judge(
    options: &ReevaluationOptions,
    asking: &RunOptions,
    progress: &dyn Progress,
) -> Result<RunOutcome, RunError> {
    find::mended(&options.work_dir, progress, || {
        let mut reevaluation = Reevaluation::open(options, progress)?;
        let Some(path) = &options.judge else {
            return reevaluation.finish(BTreeMap::new(), progress);
        };
        let mut waiting = reevaluation.to_judge(0, &BTreeMap::new())?;
        if waiting.iter().all(|one| one.asked.is_empty()) {
            progress.note("no data set of the run asks a judge about anything");
            return reevaluation.finish(BTreeMap::new(), progress);
        }
        let judge = RunJudge::typed(path)?;
        let Some(plan) = judge.model() else {
            return reevaluation.finish(BTreeMap::new(), progress);
        };
        let devices = fleet::open_devices(asking)?;
        let model = ready_judge(plan, asking.now, progress)?;
        let known = KnownModel::of(&model, asking, &reevaluation.store)?;
        let mut court = Judge {
            model: &model,
            known: &known,
            devices: &devices,
            options: asking,
            is_fresh: asking.is_fresh,
            progress,
        };
        let mut writer = reevaluation.store.writer(&reevaluation.run)?;
        let (mut judged, mut work) = (BTreeMap::new(), WorkDone::default());
        for round in 1.. {
            let (more, done) = court.ask(&waiting, &mut reevaluation.store, &mut writer)?;
            judged.extend(more);
            work = work.and(done);
            // What comes of the first round is in the store, and part of what is asked in the second.
            court.is_fresh = false;
            waiting = reevaluation.to_judge(round, &judged)?;
            if waiting.is_empty() {
                break;
            }
        }
        let mut outcome = reevaluation.finish(judged, progress)?;
        outcome.work = work;
        Ok(outcome)
    })
}
