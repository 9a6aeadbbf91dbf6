//! Asking the models of a run, one after the other.
//!
//! All data sets are asked about together, but for those that are later stages of others: their prompts hold what the
//! stages before them said, so they are built and asked once that is known.

use std::sync::Arc;

use super::{
    asking::Asking,
    assignment::{Assignment, different_ids},
    execute::Execution,
    fleet::{AnsweringModel, Devices},
    identity::KnownModel,
    posix::{CrossScoring, VariantGroup},
    stage_columns::StageColumns,
};
use crate::{
    answer::Answerer,
    config::Node,
    infer::Tokenize,
    kept_run::{RunError, UnitFacts, WorkDone},
    model::Checkpoint,
    plan::{DatasetPlan, EarlierStage, ModelPlan},
    prepare::{
        CheckpointModels, LoadedDataset, ModelTokenizer, PassageSearches, ReadyModel, ReadyRun,
        RowSources, ServedTokenizer, Unit, prepare, task,
    },
    store::{AnswerWriter, KeptToken, UnitRow},
    warn::{self, Severity},
};

/// A model that is asked.
struct AskedModel<'r, 'p> {
    ready: &'r ReadyModel<'p>,
    known: &'r KnownModel,
    tokenizer: &'r dyn Tokenize,
    /// Its place among the models of the plan.
    place: usize,
    /// Its number in the store.
    number: i64,
}

impl Execution<'_> {
    /// Answers whatever the models were not asked before, and keeps all samples.
    pub(super) fn answer(
        &mut self,
        ready: ReadyRun<'_>,
        known: &[KnownModel],
        devices: &Devices,
    ) -> Result<(), RunError> {
        let ReadyRun { datasets: loaded, models, searches, .. } = ready;
        self.facts.posix.clear();
        let mut writer = self.store.writer(&self.run)?;
        let mut work = WorkDone::default();
        for (place, (mut ready, known)) in models.into_iter().zip(known).enumerate() {
            let mut units: Vec<Option<Unit>> =
                std::mem::take(&mut ready.units).into_iter().map(Some).collect();
            let model = ready.plan;
            let of_checkpoint = ready
                .source
                .checkpoint()
                .map(|own| (own.tokenizer().clone(), Arc::clone(own.sight())));
            let of_checkpoint = of_checkpoint
                .as_ref()
                .map(|(own, sight)| ModelTokenizer::new(own, model).shown(Arc::clone(sight)));
            let of_server = ServedTokenizer::new(model);
            let tokenizer: &dyn Tokenize = match &of_checkpoint {
                Some(own) => own,
                None => &of_server,
            };
            let facts = ready.source.facts(model).to_string();
            let number = self.store.model(&known.identity.key, &facts)?;
            let asked = AskedModel { ready: &ready, known, tokenizer, place, number };
            let mut answering = AnsweringModel::new(&ready, known, self.options, devices);
            let mut answerer = || answering.answerer();
            let mut kept: Vec<Option<UnitRow>> = vec![None; loaded.len()];
            let mut columns = StageColumns::default();
            for stage in
                0..=self.plan.datasets.iter().map(DatasetPlan::stage_number).max().unwrap_or(0)
            {
                let places: Vec<usize> = (0..loaded.len())
                    .filter(|&place| self.plan.datasets[place].stage_number() == stage)
                    .collect();
                let (rows, own) = if stage == 0 {
                    let own = places.iter().filter_map(|&place| units[place].take()).collect();
                    (None, own)
                } else {
                    let (rows, own) =
                        self.next_stage(&asked, &places, (&loaded, &searches), &columns)?;
                    (Some(rows), own)
                };
                let rows: Vec<&LoadedDataset> = match &rows {
                    None => places.iter().map(|&place| &loaded[place]).collect(),
                    Some(rows) => rows.iter().collect(),
                };
                work = work.and(self.ask_round(
                    &asked,
                    (&places, &rows, own),
                    (&mut kept, &mut writer),
                    &mut answerer,
                )?);
                for &place in &places {
                    if let Some(unit) = &kept[place] {
                        columns.read(&self.plan.datasets[place], unit, &self.store)?;
                    }
                }
            }
            let kept: Vec<UnitRow> = kept.into_iter().flatten().collect();
            work = work.and(self.score_wordings(
                &asked,
                (&loaded, &kept),
                &mut writer,
                &mut answerer,
            )?);
            if let Some(line) = answering.line() {
                self.progress.note(&line);
            }
        }
        writer.flush()?;
        self.facts.units = self.plan.models.len() * self.plan.datasets.len();
        let before = self.facts.work.computed_tokens;
        self.facts.work = WorkDone { computed_tokens: before + work.computed_tokens, ..work };
        self.work = work;
        Ok(())
    }

    /// Rows and prompts of data sets whose earlier stages are answered.
    fn next_stage(
        &mut self,
        asked: &AskedModel<'_, '_>,
        places: &[usize],
        (loaded, searches): (&[LoadedDataset], &PassageSearches),
        columns: &StageColumns,
    ) -> Result<(Vec<LoadedDataset>, Vec<Unit>), RunError> {
        let ReadyModel { plan: model, markup, max_seq_len_tokens, .. } = asked.ready;
        let answering = CheckpointModels::new(Some(&self.options.work_dir), self.progress);
        let sources = RowSources { models: &answering, searches };
        let (mut rows, mut units) = (Vec::new(), Vec::new());
        let samples = places.iter().map(|&place| loaded[place].rows.test.len()).sum();
        self.progress.phase(&format!("building prompts for {}", model.abbr), samples);
        for &place in places {
            let dataset = &self.plan.datasets[place];
            let own = loaded[place].of_stage(dataset, columns.before(dataset), sources)?;
            let unit = prepare(
                dataset,
                &own,
                model,
                markup,
                asked.tokenizer,
                *max_seq_len_tokens,
                self.progress,
            )?;
            for note in &unit.notes {
                self.progress
                    .note(&format!("data set {}, model {}: {note}", dataset.abbr, model.abbr));
            }
            let warnings = unit.warnings.iter().filter(|own| own.severity == Severity::Warning);
            let warnings: Vec<_> = warnings.cloned().collect();
            for line in warn::lines(&warnings) {
                self.progress.note(&line);
            }
            self.warnings.extend(warnings);
            rows.push(own);
            units.push(unit);
        }
        answering.tell();
        self.progress.end();
        Ok((rows, units))
    }

    /// Asks about data sets together and keeps their samples.
    fn ask_round(
        &mut self,
        asked: &AskedModel<'_, '_>,
        (places, rows, units): (&[usize], &[&LoadedDataset], Vec<Unit>),
        (kept, writer): (&mut [Option<UnitRow>], &mut AnswerWriter),
        answerer: &mut dyn FnMut() -> Result<Box<dyn Answerer>, RunError>,
    ) -> Result<WorkDone, RunError> {
        let KnownModel { identity, dtype, .. } = asked.known;
        let ReadyModel { plan: model, source, markup, max_seq_len_tokens, .. } = asked.ready;
        let datasets: Vec<&DatasetPlan> =
            places.iter().map(|&place| &self.plan.datasets[place]).collect();
        let mut assignments: Vec<Assignment<'_>> = Vec::with_capacity(units.len());
        for ((dataset, rows), unit) in datasets.iter().zip(rows).zip(units) {
            let task =
                task(dataset, rows, Some(model), markup, asked.tokenizer, *max_seq_len_tokens);
            assignments.push(Assignment::new(unit, task));
        }
        if let Some(sharing) = &self.sharing {
            for (assignment, &place) in assignments.iter_mut().zip(places) {
                assignment.leave_out(&|row| !sharing.wants(asked.place, place, row));
            }
        }
        let cut_before: Vec<usize> = assignments.iter().map(Assignment::cut_samples).collect();
        let samples = assignments.iter().map(Assignment::own_samples).sum();
        self.progress.begin(&title(&datasets, model), samples, 0);
        let asking = Asking {
            store: &mut self.store,
            writer,
            model: identity,
            is_fresh: self.options.is_fresh,
            sharing: self.sharing.as_mut(),
            progress: self.progress,
        };
        let work = asking.answer_all(&mut assignments, answerer)?;
        self.progress.end();
        if let Some(sharing) = self.sharing.as_mut().filter(|own| own.is_part()) {
            sharing.failed_samples +=
                assignments.iter().map(Assignment::failed_samples).sum::<usize>();
            if !self.plan.datasets.iter().any(DatasetPlan::waits) {
                // No later stage reads them, and a merge keeps the samples of all shards.
                return Ok(work);
            }
        }
        if let Some(tokenizer) = source.checkpoint().map(Checkpoint::tokenizer) {
            let ids = different_ids(&assignments);
            self.store.write_tokens(asked.number, &ids, &|id| KeptToken {
                text: tokenizer.token_text(id),
                bytes: tokenizer.token_bytes(id),
                is_special: tokenizer.is_special(id),
            })?;
        }
        for (at, assignment) in assignments.iter().enumerate() {
            let (place, dataset) = (places[at], datasets[at]);
            let cut = assignment.cut_samples();
            if cut > cut_before[at] {
                self.progress.note(&format!(
                    "data set {}, model {}: {} more samples were cut to fit {max_seq_len_tokens} tokens as \
                     their dialogue went on",
                    dataset.abbr,
                    model.abbr,
                    cut - cut_before[at]
                ));
            }
            let (sample_origins, origins) = assignment.origins(&model.markup);
            let left_out = rows[at].rows.left_out;
            let facts = UnitFacts { origins, left_out, ..unit_facts(dataset, model, dtype) };
            let mut unit = UnitRow {
                id: 0,
                run: self.run.id,
                place: asked.place * self.plan.datasets.len() + place,
                model: asked.number,
                samples: assignment.len(),
                facts: serde_json::to_string(&facts).unwrap_or_default(),
            };
            unit.id = self.store.write_unit(&unit, &mut assignment.rows(sample_origins))?;
            kept[place] = Some(unit);
        }
        Ok(work)
    }

    /// Asks how likely the answers to the wordings of data sets are to each other's, where prompt sensitivity is wanted.
    fn score_wordings(
        &mut self,
        asked: &AskedModel<'_, '_>,
        (loaded, kept): (&[LoadedDataset], &[UnitRow]),
        writer: &mut AnswerWriter,
        answerer: &mut dyn FnMut() -> Result<Box<dyn Answerer>, RunError>,
    ) -> Result<WorkDone, RunError> {
        let ReadyModel { plan: model, markup, max_seq_len_tokens, .. } = asked.ready;
        let mut work = WorkDone::default();
        let groups =
            if self.options.with_posix { VariantGroup::all(self.plan) } else { Vec::new() };
        for group in groups {
            let place = group.places[0];
            let scoring = CrossScoring::read(
                group,
                &self.store,
                (&self.plan.datasets, kept),
                &model.abbr,
                *max_seq_len_tokens,
            )?;
            let unit = scoring.unit();
            self.progress.note(&scoring.cost_line(&unit));
            let task = task(
                &self.plan.datasets[place],
                &loaded[place],
                Some(model),
                markup,
                asked.tokenizer,
                *max_seq_len_tokens,
            );
            let mut assignments = [Assignment::new(unit, task)];
            let asking = Asking {
                store: &mut self.store,
                writer,
                model: &asked.known.identity,
                is_fresh: self.options.is_fresh,
                sharing: None,
                progress: self.progress,
            };
            self.progress.begin(&scoring.title(), assignments[0].len(), 0);
            work = work.and(asking.answer_all(&mut assignments, answerer)?);
            self.progress.end();
            self.facts.posix.push(scoring.facts(&self.store, &assignments[0])?);
        }
        Ok(work)
    }
}

fn title(datasets: &[&DatasetPlan], model: &ModelPlan) -> String {
    match datasets {
        [dataset] => format!("{} · {}", dataset.abbr, model.abbr),
        datasets => format!("{} data sets · {}", datasets.len(), model.abbr),
    }
}

fn unit_facts(dataset: &DatasetPlan, model: &ModelPlan, dtype: &str) -> UnitFacts {
    let (repeats, _) = dataset.repeats.under(&model.repeats);
    let part = |node: &Node, field: &str| node.get(field).map(Node::to_json).unwrap_or_default();
    let before = dataset.stage.iter().flat_map(|stage| &stage.before);
    UnitFacts {
        dataset: dataset.abbr.clone(),
        model: model.abbr.clone(),
        dtype: dtype.to_owned(),
        mode: dataset.mode.to_owned(),
        version: dataset.version.clone(),
        eval_cfg: part(&dataset.node, "eval_cfg"),
        pred_postprocessor: part(&model.node, "pred_postprocessor"),
        repeats,
        input_columns: dataset.reader.input_columns().to_vec(),
        origins: Vec::new(),
        stage_columns: before.flat_map(EarlierStage::columns).collect(),
        links: dataset.stage.iter().flat_map(|stage| stage.links.clone()).collect(),
        left_out: 0,
        judged: None,
    }
}
