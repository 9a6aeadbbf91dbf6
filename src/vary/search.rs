//! The search among the formats of one data set under one model.

use super::{
    ElementValue, Find, FormatFindings, SearchFindings, VariedElement,
    effect::effects,
    format_space::{Choice, FormatSpace},
    measured_rung::{Figure, MeasuredRung, Metric},
    plan_search::VaryOptions,
    schedule::{Rung, rungs, survivors},
    templates::Templates,
};
use crate::{
    compare::is_more_better,
    config::{Node, Value},
    dataset::{RowDraw, Sample},
    evaluate::Unit,
    plan::{DatasetPlan, PlanError, RepeatsPlan, Variant},
    report::VARIANT_MARK,
};

/// What the config's own format is called.
const OWN: &str = "base";

/// How far the search is.
pub(super) struct Search<'p> {
    pub(super) dataset: &'p DatasetPlan,
    space: FormatSpace,
    choices: Vec<Choice>,
    pub(super) rungs: Vec<Rung>,
    /// Test rows.
    rows: usize,
    /// Formats that there are.
    possible: f64,
    /// Formats that go on.
    pub(super) alive: Vec<usize>,
    /// Each format's figure over the most samples that it was asked about.
    figures: Vec<Figure>,
    metric: Option<Metric>,
    /// The first step, and the last one with the samples of those before it.
    first: Option<Vec<Option<f64>>>,
    last: Option<(MeasuredRung, Vec<usize>)>,
    notes: Vec<String>,
}

impl<'p> Search<'p> {
    pub(super) fn new(
        dataset: &'p DatasetPlan,
        rows: &[Sample],
        space: FormatSpace,
        options: &VaryOptions,
    ) -> Self {
        let choices = space.sampled(options.formats, options.changes);
        let mut notes: Vec<String> = space.note_of_rows(rows).into_iter().collect();
        let rows = rows.len();
        if choices.len() < options.formats {
            notes.push(format!(
                "{} formats were found of which no two ask the same, instead of {}",
                choices.len(),
                options.formats
            ));
        }
        Self {
            dataset,
            rungs: rungs(choices.len(), rows),
            rows,
            possible: space.len(options.changes),
            alive: (0..choices.len()).collect(),
            figures: vec![Figure::default(); choices.len()],
            metric: None,
            first: None,
            last: None,
            notes,
            space,
            choices,
        }
    }

    /// The abbr of a format.
    pub(super) fn abbr(&self, format: usize) -> String {
        match format {
            0 => self.dataset.abbr.clone(),
            _ => format!("{}{VARIANT_MARK}{}", self.dataset.abbr, name(format)),
        }
    }

    fn infer_cfg(&self, format: usize) -> Node {
        self.space.infer_cfg_of(&self.choices[format])
    }

    /// The entry of a format, under a name of its own or under the data set's.
    fn entry(&self, format: usize, keeps_name: bool) -> Node {
        let mut node = self.dataset.node.clone();
        let made = self.infer_cfg(format);
        if let Some(place) = node.get_mut("infer_cfg") {
            *place = made;
        }
        if format > 0 && !keeps_name {
            let origin = node.origin.clone();
            node.set("abbr", Node::new(Value::Str(self.abbr(format)), origin));
        }
        node
    }

    /// The plans of the formats that go on, to be asked about so many samples.
    pub(super) fn plans(
        &self,
        rung: usize,
        options: &VaryOptions,
    ) -> Result<Vec<DatasetPlan>, PlanError> {
        let plan = |&format: &usize| {
            let made = DatasetPlan::from_node(&self.entry(format, false), &options.config)?;
            let variant = Variant { dataset: self.dataset.abbr.clone(), name: name(format) };
            let draw = RowDraw { rows: self.rungs[rung].samples, seed: options.seed };
            let draw = Some(draw).filter(|draw| draw.rows < self.rows);
            // Formats are compared by one answer to each sample.
            Ok(DatasetPlan { variant: Some(variant), draw, repeats: RepeatsPlan::once(), ..made })
        };
        self.alive.iter().map(plan).collect()
    }

    /// The plan of the best format under the data set's own name.
    pub(super) fn best_plan(
        &self,
        format: usize,
        options: &VaryOptions,
    ) -> Result<DatasetPlan, PlanError> {
        DatasetPlan::from_node(&self.entry(format, true), &options.config)
    }

    /// Takes what a step has measured, and stops formats if there is another one.
    pub(super) fn hear(
        &mut self,
        rung: usize,
        run: &crate::kept_run::run::KeptRun,
        options: &VaryOptions,
    ) -> Result<(), super::VaryError> {
        let abbrs: Vec<String> = self.alive.iter().map(|&format| self.abbr(format)).collect();
        let metric = match &self.metric {
            Some(metric) => metric.clone(),
            None => Metric::of(run, &abbrs, options.metric.as_deref())?,
        };
        let draw = |rung: usize| {
            RowDraw { rows: self.rungs[rung].samples, seed: options.seed }.places(self.rows)
        };
        let measured = MeasuredRung::of(run, &self.alive, &abbrs, draw(rung), &metric)?;
        for (&format, figure) in self.alive.iter().zip(&measured.figures) {
            self.figures[format] = *figure;
        }
        if rung == 0 {
            self.first = Some(measured.figures.iter().map(|figure| figure.value).collect());
        }
        let earlier = if rung == 0 { Vec::new() } else { draw(rung - 1) };
        self.metric = Some(metric);
        self.last = Some((measured, earlier));
        Ok(())
    }

    /// Stops the formats that the next step does not ask about.
    pub(super) fn narrow(&mut self, next: usize, find: Find) {
        let Some(metric) = &self.metric else { return };
        let values: Vec<Option<f64>> =
            self.alive.iter().map(|&format| self.figures[format].value).collect();
        let own = self.alive.iter().position(|&format| format == 0);
        let formats = self.rungs[next].formats;
        let kept = survivors(&values, formats, find, is_more_better(metric.unit), own);
        self.alive = kept.into_iter().map(|place| self.alive[place]).collect();
    }

    /// What came of it, if there is anything.
    pub(super) fn findings(&self, model: &str, options: &VaryOptions) -> Option<SearchFindings> {
        let (metric, (last, earlier)) = (self.metric.as_ref()?, self.last.as_ref()?);
        let more_is_better = is_more_better(metric.unit);
        let (best, worst_of_last) = last.ends()?;
        let worst = match options.find {
            Find::Spread => last.formats[worst_of_last],
            Find::Best => self.worst_of_all(more_is_better)?,
        };
        let confirmed = |other: usize| {
            (other != best)
                .then(|| last.confirmation((best, other), earlier, options.resampling))
                .flatten()
        };
        let own = last.formats.iter().position(|&format| format == 0);
        let of_last = |format: usize| last.formats.iter().position(|&own| own == format);
        let mut values: Vec<f64> = self.figures.iter().filter_map(|own| own.value).collect();
        values.sort_by(f64::total_cmp);
        let without = self.figures.iter().filter(|own| own.value.is_none()).count();
        let mut notes = self.notes.clone();
        if without > 0 {
            notes.push(format!(
                "{without} formats have no figure: none of their samples has a score"
            ));
        }
        let effects = effects(
            &self.space.axes,
            &self.choices,
            self.first.as_deref().unwrap_or_default(),
            more_is_better,
            match metric.unit {
                Unit::Percent => 100.0,
                Unit::NatsPerToken => f64::INFINITY,
            },
        );
        let asked = self.figures.iter().filter(|own| own.value.is_some());
        Some(SearchFindings {
            dataset: self.dataset.abbr.clone(),
            model: model.to_owned(),
            metric: metric.name.clone(),
            unit: metric.unit,
            is_more_better: more_is_better,
            samples: self.rows,
            possible_formats: self.possible,
            elements: self.elements(),
            not_varied: self.space.not_varied.clone(),
            formats: (0..self.choices.len())
                .map(|format| self.format_findings(format, last))
                .collect(),
            best: last.formats[best],
            worst,
            median: median(&values),
            median_samples: asked.map(|own| own.asked).min().unwrap_or(0),
            spread: of_last(worst).and_then(confirmed),
            gain: own.and_then(confirmed),
            effects,
            effect_samples: self.rungs[0].samples.min(self.rows),
            best_template: Templates::shown(&self.infer_cfg(last.formats[best])),
            worst_template: Templates::shown(&self.infer_cfg(worst)),
            notes,
        })
    }

    fn elements(&self) -> Vec<VariedElement> {
        let values = |axis: &super::axis::Axis| {
            axis.values.iter().map(|value| value.label.clone()).collect::<Vec<String>>()
        };
        let axes = self.space.axes.iter();
        axes.map(|axis| VariedElement { element: axis.element, values: values(axis) }).collect()
    }

    fn format_findings(&self, format: usize, last: &MeasuredRung) -> FormatFindings {
        let Figure { value, low, high, asked, failed } = self.figures[format];
        let values = self.space.labels(&self.choices[format]);
        FormatFindings {
            name: name(format),
            values: values
                .into_iter()
                .map(|(element, value)| ElementValue { element, value })
                .collect(),
            value,
            low,
            high,
            samples: asked,
            failed,
            stopped_early: !last.formats.contains(&format),
        }
    }

    /// The format with the worst figure, whatever it rests on.
    fn worst_of_all(&self, more_is_better: bool) -> Option<usize> {
        let figures = self.figures.iter().enumerate();
        let figures = figures.filter_map(|(format, own)| Some((format, own.value?)));
        let is_worse =
            |one: f64, other: f64| if more_is_better { one < other } else { one > other };
        // Of equal ones the last, which is not the best where there are two.
        let worst = figures.reduce(|worst, own| if is_worse(worst.1, own.1) { worst } else { own });
        worst.map(|(format, _)| format)
    }
}

/// What a format is called.
fn name(format: usize) -> String {
    if format == 0 { OWN.to_owned() } else { format!("f{format:02}") }
}

/// The middle of sorted values, or the mean of the two in the middle.
fn median(values: &[f64]) -> Option<f64> {
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values.get(middle).copied()
    } else {
        let low = *values.get(middle.checked_sub(1)?)?;
        Some(f64::midpoint(low, *values.get(middle)?))
    }
}
