//! Kept runs as a page.

use std::{
    collections::{BTreeMap, HashMap, hash_map::Entry},
    rc::Rc,
};

use super::{
    answered::AnsweredTokens,
    chain_stages::ChainStages,
    comparisons,
    pictures::Pictures,
    rows::{KnownRows, variant_of},
    run_facts::{about_run, family_line, figure, title},
    sample::{UnitSamples, figure_columns},
    spelling::Speller,
    styles::Styles,
    text_batch::{BATCH_SAMPLES, SpelledText, TextBatch},
};
use crate::{
    compare::Part,
    infer::{Candidate, Wanted},
    kept_run::{
        RunError, RunFacts,
        kept_sample::KeptSample,
        row_content::RowContent,
        run::{KeptRun, KeptUnit},
    },
    origin::{OriginStretch, kept_stretches},
    prepare::Progress,
    report::{
        grouped,
        page::{Group, Mark, Model, Note, NoteSeverity, Page, Pieces, Sample, SampleText},
    },
    store::{KeptToken, StoreError},
    warn,
};

/// The columns of more rows would make the file much larger.
const MOST_SAMPLES_WITH_COLUMNS: usize = 10_000;

/// What a rule has asked in other ways is as much text again, for each way.
const MOST_SAMPLES_WITH_COUNTERPARTS: usize = 4_000;

/// Between the parts of a group's key.
const KEY_MARK: char = ' ';

/// A page under way.
pub(super) struct PageBuilder {
    page: Page,
    /// The number in the database and the name of each of the page's models.
    models: HashMap<(i64, String), usize>,
    with_columns: bool,
    with_counterparts: bool,
    /// Tokens whose place in their text is not known.
    unplaced_tokens: usize,
    rows: KnownRows,
    styles: Styles,
    pictures: Pictures,
}

/// The page of runs of one working folder.
///
/// What can be compared by the part `by` is compared; without one, by the first in which members differ.
pub(super) fn page_of(
    runs: &[KeptRun],
    by: Option<Part>,
    progress: &dyn Progress,
) -> Result<Page, RunError> {
    let units = || runs.iter().flat_map(|run| &run.units);
    let samples: usize = units().map(KeptUnit::len).sum();
    let mut rules: Vec<&str> = units().map(|unit| unit.plan.rule.unit()).collect();
    rules.dedup();
    let page = Page {
        title: title(runs),
        columns: figure_columns(if let [one] = rules[..] { one } else { "" }),
        ..Page::default()
    };
    let with_columns = samples <= MOST_SAMPLES_WITH_COLUMNS;
    let models = HashMap::new();
    let mut builder = PageBuilder {
        page,
        models,
        with_columns,
        with_counterparts: samples <= MOST_SAMPLES_WITH_COUNTERPARTS,
        unplaced_tokens: 0,
        rows: KnownRows::default(),
        styles: Styles::default(),
        pictures: Pictures::default(),
    };
    if !with_columns {
        builder.note(format!(
            "{} samples: the columns of their rows are left out here; `surprisal export` has them",
            grouped(samples)
        ));
    }
    if !builder.with_counterparts && units().any(|unit| unit.plan.rule.wanted() != Wanted::Nothing)
    {
        builder.note(format!(
            "{} samples: what scoring rules have asked in other ways is left out here",
            grouped(samples)
        ));
    }
    progress.phase("writing the page", units().count());
    let added = runs.iter().try_for_each(|run| builder.run(run, progress));
    progress.end();
    added?;
    comparisons::add(&mut builder.page, runs, by)?;
    Ok(builder.finished())
}

impl PageBuilder {
    fn note(&mut self, message: String) {
        self.page.notes.push(Note::worth_knowing(message));
    }

    fn run(&mut self, run: &KeptRun, progress: &dyn Progress) -> Result<(), RunError> {
        let number = self.page.runs.len();
        let asked = &run.source_facts;
        // An evaluation has warnings of its own beside those of the run that asked.
        let mut warnings: Vec<_> = asked.warnings.iter().collect();
        warnings.extend(run.facts.warnings.iter().filter(|own| !asked.warnings.contains(own)));
        let all: Vec<_> = warnings.iter().map(|own| (*own).clone()).collect();
        for message in warn::lines(&all) {
            let severity = NoteSeverity::Warning;
            self.page.notes.push(Note { severity, message });
        }
        for family in &run.facts.families {
            self.note(family_line(family));
        }
        let mut tokens: HashMap<i64, Rc<BTreeMap<u32, KeptToken>>> = HashMap::new();
        let mut asked_tokens = 0;
        for unit in &run.units {
            let own_tokens = match tokens.entry(unit.model) {
                Entry::Occupied(there) => there.into_mut(),
                Entry::Vacant(free) => free.insert(Rc::new(run.store.tokens(unit.model)?)),
            };
            let own =
                |name: &str, other: &str| name == unit.facts.dataset && other == unit.facts.model;
            let kept = run.samples(unit)?;
            let stages = ChainStages::of(run, unit, &kept)?;
            let samples = UnitSamples {
                unit,
                stages: &stages,
                kept: &kept,
                evaluation: unit.evaluation(&kept),
                warnings: warnings
                    .iter()
                    .copied()
                    .filter(|count| own(&count.dataset, &count.model))
                    .collect(),
                with_columns: self.with_columns,
                with_counterparts: self.with_counterparts,
            };
            let group = self.page.groups.len();
            for row in run.facts.results.iter().filter(|row| own(&row.dataset, &row.model)) {
                self.page.figures.push(figure(group, row));
            }
            let model = self.model(unit, asked);
            asked_tokens += self.unit(run, number, model, &samples, own_tokens.clone())?;
            progress.step();
        }
        self.page.runs.push(about_run(run, asked_tokens));
        Ok(())
    }

    /// The place of a unit's model.
    fn model(&mut self, unit: &KeptUnit, asked: &RunFacts) -> usize {
        let models = &mut self.page.models;
        *self.models.entry((unit.model, unit.facts.model.clone())).or_insert_with(|| {
            let text = |text: String| Some(text).filter(|text| !text.is_empty());
            models.push(Model {
                name: unit.facts.model.clone(),
                dtype: text(unit.facts.dtype.clone()),
                device: text(asked.devices.join(", ")),
                pieces: Pieces::default(),
            });
            models.len() - 1
        })
    }

    /// Adds the samples of a unit; gives how many tokens were asked for them.
    fn unit(
        &mut self,
        run: &KeptRun,
        number: usize,
        model: usize,
        samples: &UnitSamples<'_>,
        tokens: Rc<BTreeMap<u32, KeptToken>>,
    ) -> Result<usize, RunError> {
        let UnitSamples { unit, kept, .. } = *samples;
        let styles: Vec<usize> = unit.origins.iter().map(|own| self.styles.number(own)).collect();
        let mut speller = Speller::new(tokens);
        let mut asked_tokens = 0;
        let mut unknown = 0;
        for (batch, own) in kept.chunks(BATCH_SAMPLES).enumerate() {
            let mut texts_of = TextBatch::default();
            for (place, one) in own.iter().enumerate() {
                if !samples.with_counterparts {
                    asked_tokens +=
                        one.record.outcome.counterparts().map(Candidate::tokens).sum::<usize>();
                }
                let (mut sample, texts) = samples.sample(batch * BATCH_SAMPLES + place, one);
                let mut unplaced = 0;
                let mut placed = Vec::with_capacity(texts.len());
                let mut marks = marks(&one.origins, &styles).into_iter();
                for text in texts {
                    let mut add = |own: &AnsweredTokens<'_>, marks: &[Mark]| {
                        asked_tokens += own.count;
                        let pieces = &mut self.page.models[model].pieces;
                        let pieces = (pieces, &mut self.pictures);
                        let text = texts_of.text(&mut speller, own, marks, pieces)?;
                        unplaced += text.unplaced;
                        Some(text)
                    };
                    let own = add(&text.tokens, &marks.next().unwrap_or_default());
                    let normalizer = text.normalizer.as_ref().map(|own| add(own, &[]));
                    let place = |own: &SpelledText| {
                        let answer = text.about.answer.clone().map(|tokens| own.places(tokens));
                        SampleText { answer, ..text.about.clone() }
                    };
                    match (own, normalizer) {
                        (Some(own), None) => placed.push((place(&own), own.end, None)),
                        (Some(own), Some(Some(other))) => {
                            placed.push((place(&own), own.end, Some(other.end)));
                        }
                        _ => unknown += 1,
                    }
                }
                if unplaced > 0 {
                    self.unplaced_tokens += unplaced;
                    sample.warnings.push(unplaced_note(unplaced));
                }
                texts_of.sample(sample, placed);
            }
            let Page { models, segments, samples, .. } = &mut self.page;
            samples.extend(texts_of.write(model, &models[model].pieces, segments));
        }
        if unknown > 0 {
            let (unit, samples) = (unit.name(), kept.len());
            let error = StoreError::Incomplete { unit, missing: unknown, samples, what: "texts" };
            return run.reopened_if_incomplete(Err(error.into()));
        }
        self.group(run, number, model, unit, kept);
        Ok(asked_tokens)
    }

    fn group(
        &mut self,
        run: &KeptRun,
        number: usize,
        model: usize,
        unit: &KeptUnit,
        kept: &[KeptSample],
    ) {
        let abbr = &unit.facts.dataset;
        let all = run.units.iter().map(|own| own.facts.dataset.as_str());
        let (dataset, variant) = variant_of(abbr, all);
        let content = |own: &KeptSample| {
            RowContent::of(&own.sample, [abbr, &dataset], &unit.facts.stage_columns)
        };
        let rows_of = self.rows.name(&dataset, kept.iter().map(content).collect());
        let is_ranked = unit.facts.mode == "ppl";
        let key = self.key([abbr, &unit.facts.model, &run.name]);
        self.page.groups.push(Group {
            key,
            run: number,
            model,
            dataset,
            variant,
            mode: unit.facts.mode.clone(),
            rule: is_ranked.then(|| unit.plan.rule_name.to_owned()),
            rows_of: Some(rows_of),
            samples: kept.len(),
        });
    }

    /// A key that no group has yet: as many of the names as it takes, and then a number.
    fn key(&self, names: [&str; 3]) -> String {
        let mark = KEY_MARK.to_string();
        let is_free = |key: &String| self.page.groups.iter().all(|group| group.key != *key);
        let written = |key: String| key.replace('~', "-");
        let mut names_alone = (1..=names.len()).map(|count| written(names[..count].join(&mark)));
        names_alone.find(is_free).unwrap_or_else(|| {
            let number = self.page.groups.len();
            written(format!("{}{mark}{number}", names.join(&mark)))
        })
    }

    /// The page, without columns that no sample has a figure for.
    fn finished(mut self) -> Page {
        if self.unplaced_tokens > 0 {
            self.note(format!(
                "The tokenizer changes texts before it divides them: of {} tokens it is not known what part of a \
                 stretch they are; it stands at the first of them.",
                grouped(self.unplaced_tokens)
            ));
        }
        self.page.styles = self.styles.into_styles();
        self.page.pictures = self.pictures.into_pictures();
        let Page { columns, samples, .. } = &mut self.page;
        let has = |samples: &[Sample], place: usize| {
            samples.iter().any(|own| own.figures.get(place).copied().flatten().is_some())
        };
        let kept: Vec<bool> = (0..columns.len()).map(|place| has(samples, place)).collect();
        let mut places = kept.iter();
        columns.retain(|_| places.next() == Some(&true));
        for sample in samples {
            let mut places = kept.iter();
            sample.figures.retain(|_| places.next() == Some(&true));
        }
        self.page
    }
}

/// The marks of each text of a sample, as far as they are known; `styles` are those of its unit's origins.
fn marks(origins: &str, styles: &[usize]) -> Vec<Vec<Mark>> {
    let texts = kept_stretches(origins, styles.len()).into_iter();
    let mark = |own: OriginStretch| Mark { bytes: own.bytes, style: styles[own.origin] };
    texts.map(|stretches| stretches.into_iter().map(mark).collect()).collect()
}

/// What is told of a sample of whose tokens so many have no place.
pub(crate) fn unplaced_note(tokens: usize) -> Note {
    let message = format!(
        "the tokenizer changed the text: of {} tokens it is not known what part of a stretch they are; it stands at \
         the first of them",
        grouped(tokens)
    );
    Note::worth_knowing(message)
}
