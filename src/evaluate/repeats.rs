//! Questions that are asked several times: the figures of single runs, and those over all.
//!
//! What stands in OpenCompass's files is `evaluate(k, n, …)` of its base class: a metric that keeps details is
//! averaged over the runs and given `G-Pass@k`; of any other the figure of the last run alone stays. That figure is
//! told apart here, and what it leaves out stands beside it in figures of our own: the average, `pass@k`, and what
//! comes of the answer that most runs give.
//!
//! Answers to the same question are no independent samples. So every figure over the runs has one score for each
//! question, at its first row, and its standard error is that of a mean over questions.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{EvaluateError, Evaluator, Metric, Results, Row, Scores, Unit, details::LOST};
use crate::statistics::{Mean, g_pass_at_k, mean_g_pass_at_k, pass_at_k};

/// How often each question is asked, and of how many answers one is to be right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeats {
    /// How often: OpenCompass's `n`.
    pub runs: usize,
    /// Numbers of answers, each at most `runs`: OpenCompass's `k`.
    pub k: Vec<usize>,
}

impl Default for Repeats {
    fn default() -> Self {
        Self { runs: 1, k: vec![1] }
    }
}

/// Where a row belongs.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// Which time its question is asked, from 0.
    pub run: usize,
    /// Which question it is.
    pub question: usize,
    /// What OpenCompass calls it: `<subdivision>_<idx>`.
    pub example: &'a str,
}

/// What several runs come to.
#[derive(Clone, Debug)]
pub struct RepeatedScores {
    /// The figures that OpenCompass has.
    pub scores: Scores,
    /// Those that it has not.
    pub beside: Vec<Metric>,
    /// The details that the metric gives, in OpenCompass's shape.
    pub details: Option<Value>,
    /// What the original writes beside figures and details.
    pub fields: Map<String, Value>,
    /// What a reader of the figures has to know.
    pub note: Option<String>,
}

/// One run, scored.
struct Run {
    /// Which of all rows are its own.
    rows: Vec<usize>,
    scores: Scores,
}

/// OpenCompass's thresholds of `G-Pass@k`, as Python writes them.
const THRESHOLDS: &[(&str, f64)] =
    &[("0.0", 0.0), ("0.25", 0.25), ("0.5", 0.5), ("0.75", 0.75), ("1.0", 1.0)];

/// The fields by which details say that a row is right, the first that is there counting.
const FLAGS: &[&str] = &["correct", "is_correct", "cascade_correct"];

/// Scores rows run by run; `places` are those of the rows.
pub fn evaluate(
    evaluator: &dyn Evaluator,
    rows: &[Row<'_>],
    places: &[Place<'_>],
    repeats: &Repeats,
) -> Result<RepeatedScores, EvaluateError> {
    if repeats.runs <= 1 {
        let Results { scores, beside: fields } = evaluator.results(rows)?;
        let examples: Vec<String> = places.iter().map(|place| place.example.to_owned()).collect();
        let details =
            scores.details.as_deref().map(|own| super::details::of_metric(&examples, own));
        return Ok(RepeatedScores { scores, beside: Vec::new(), details, fields, note: None });
    }
    let mut runs = Vec::with_capacity(repeats.runs);
    for run in 0..repeats.runs {
        let own: Vec<usize> = (0..rows.len().min(places.len()))
            .filter(|&row| places.get(row).is_some_and(|place| place.run == run))
            .collect();
        // A run of which every sample failed says nothing.
        if own.is_empty() && (run > 0 || !rows.is_empty()) {
            continue;
        }
        let taken: Vec<Row<'_>> = own.iter().filter_map(|&row| rows.get(row)).cloned().collect();
        let scores = evaluator.evaluate(&taken).map_err(|source| EvaluateError::InRun {
            run: run + 1,
            runs: repeats.runs,
            source: Box::new(source),
        })?;
        runs.push(Run { rows: own, scores });
    }
    Repetition { evaluator, rows, places, repeats, runs: &runs }.scores()
}

/// The prediction that most of these are, the first of equals.
pub fn majority<'v>(predictions: impl IntoIterator<Item = &'v Value>) -> Option<&'v Value> {
    let mut votes: IndexMap<String, (&Value, usize)> = IndexMap::new();
    for prediction in predictions {
        votes.entry(prediction.to_string()).or_insert((prediction, 0)).1 += 1;
    }
    let most = votes.values().map(|(_, count)| *count).max()?;
    votes.into_values().find(|(_, count)| *count == most).map(|(prediction, _)| prediction)
}

struct Repetition<'r> {
    evaluator: &'r dyn Evaluator,
    rows: &'r [Row<'r>],
    places: &'r [Place<'r>],
    repeats: &'r Repeats,
    runs: &'r [Run],
}

impl Repetition<'_> {
    fn scores(&self) -> Result<RepeatedScores, EvaluateError> {
        let count = self.repeats.runs;
        let groups = self.detail_groups();
        let averages = self.averages();
        let samples = self.questions().len();
        let (metrics, mut beside, details, note);
        if groups.is_empty() {
            metrics = self.last_run();
            note = (!metrics.is_empty()).then(|| {
                format!(
                    "the figures without 'runs average' are those of the last of {count} runs, as in OpenCompass, because \
                     the metric keeps no details; the averages stand beside them"
                )
            });
            (beside, details) = (averages, None);
        } else {
            let (more, rows) = self.g_pass(&groups);
            metrics = averages.into_iter().chain(more).collect();
            (beside, details, note) = (Vec::new(), Some(rows), None);
        }
        beside.extend(self.pass_at(&groups));
        beside.extend(self.of_majority()?);
        let scores = Scores { metrics, samples, details: None };
        let fields = self.evaluator.notes(self.rows)?;
        Ok(RepeatedScores { scores, beside, details, fields, note })
    }

    /// The rows of each question, in the order of the questions' first rows.
    fn questions(&self) -> IndexMap<usize, Vec<usize>> {
        let mut questions: IndexMap<usize, Vec<usize>> = IndexMap::new();
        for (row, place) in self.places.iter().enumerate().take(self.rows.len()) {
            questions.entry(place.question).or_default().push(row);
        }
        questions
    }

    /// A metric of one number for each question, from 0 to 1.
    fn of_questions(&self, name: &str, numbers: &[f64]) -> Metric {
        let questions = self.questions();
        let first_rows = questions.values().filter_map(|rows| rows.first().copied());
        let worth = first_rows.zip(numbers.iter().copied());
        if numbers.len() == questions.len() {
            return Metric::of_questions(name, self.rows.len(), worth);
        }
        // Where details are fewer than questions, it is not known whose they are.
        let percents: Vec<f64> = numbers.iter().map(|number| 100.0 * number).collect();
        Metric::from_mean(name, Mean::of(&percents), Unit::Percent)
    }

    /// A score for each row: that of its question at its first row, and none at the others.
    fn at_first_rows(&self, numbers: impl Iterator<Item = f64>) -> Vec<f64> {
        let mut scores = vec![f64::NAN; self.rows.len()];
        for (rows, number) in self.questions().into_values().zip(numbers) {
            if let Some(score) = rows.first().and_then(|&row| scores.get_mut(row)) {
                *score = number;
            }
        }
        scores
    }

    /// Every metric's mean over the runs.
    fn averages(&self) -> Vec<Metric> {
        let mut of_name: IndexMap<&str, Vec<(&Run, &Metric)>> = IndexMap::new();
        for run in self.runs {
            for metric in &run.scores.metrics {
                of_name.entry(&metric.name).or_default().push((run, metric));
            }
        }
        let average = |(name, of_runs): (&str, Vec<(&Run, &Metric)>)| {
            let values: Vec<f64> = of_runs.iter().map(|(_, metric)| metric.value).collect();
            let unit = of_runs.first().map_or(Unit::Percent, |(_, metric)| metric.unit);
            let name = format!("{name} ({} runs average)", self.repeats.runs);
            let mut average = Metric {
                standard_error: None,
                ..Metric::from_mean(&name, Mean::of(&values), unit)
            };
            if let Some(numbers) = self.means_of_questions(&of_runs) {
                let factor = if unit == Unit::Percent { 100.0 } else { 1.0 };
                let scaled: Vec<f64> = numbers.iter().map(|number| factor * number).collect();
                average.standard_error = Mean::of(&scaled).standard_error;
                average.scores = self.at_first_rows(numbers.into_iter());
            }
            average
        };
        of_name.into_iter().map(average).collect()
    }

    /// What each question is worth on average; nothing where a run does not say it of each row.
    fn means_of_questions(&self, of_runs: &[(&Run, &Metric)]) -> Option<Vec<f64>> {
        let mut of_rows = vec![f64::NAN; self.rows.len()];
        for (run, metric) in of_runs {
            if metric.scores.len() != run.rows.len() {
                return None;
            }
            for (&row, &score) in run.rows.iter().zip(&metric.scores) {
                *of_rows.get_mut(row)? = score;
            }
        }
        let mean = |rows: Vec<usize>| {
            let scores: Vec<f64> =
                rows.iter().filter_map(|&row| of_rows.get(row)).copied().collect();
            scores.iter().sum::<f64>() / scores.len() as f64
        };
        Some(self.questions().into_values().map(mean).collect())
    }

    /// The figures of the last run, whose rows alone have scores.
    fn last_run(&self) -> Vec<Metric> {
        let Some(Run { rows, scores }) = self.runs.last() else { return Vec::new() };
        let spread = |metric: &Metric| {
            let mut metric = metric.clone();
            if !metric.scores.is_empty() {
                let mut all = vec![f64::NAN; self.rows.len()];
                for (&row, &score) in rows.iter().zip(&metric.scores) {
                    if let Some(place) = all.get_mut(row) {
                        *place = score;
                    }
                }
                metric.scores = all;
            }
            metric
        };
        scores.metrics.iter().map(spread).collect()
    }

    /// The details of every example over the runs, in the order of its first run.
    fn detail_groups(&self) -> IndexMap<&str, Vec<&Map<String, Value>>> {
        let mut groups: IndexMap<&str, Vec<&Map<String, Value>>> = IndexMap::new();
        for run in self.runs {
            for (&row, detail) in run.rows.iter().zip(run.scores.details.iter().flatten()) {
                if let Some(place) = self.places.get(row) {
                    groups.entry(place.example).or_default().push(detail);
                }
            }
        }
        groups
    }

    /// `G-Pass@k` and its mean for each part of the data set and over all, and the details with them.
    fn g_pass(&self, groups: &IndexMap<&str, Vec<&Map<String, Value>>>) -> (Vec<Metric>, Value) {
        let is_told = groups.values().flatten().any(|detail| is_right(detail).is_some());
        let most = self.repeats.k.iter().max().copied().unwrap_or(1);
        let mut columns: IndexMap<String, Vec<f64>> = IndexMap::new();
        let mut details = Vec::with_capacity(groups.len());
        for (example, of_runs) in groups {
            let mut row = Map::from_iter([("example_abbr".to_owned(), json!(example))]);
            if is_told && most > 1 {
                let right = of_runs.iter().filter(|detail| is_right(detail) == Some(true)).count();
                for (name, number) in self.g_pass_of(of_runs.len(), right) {
                    row.insert(name.clone(), json!(number));
                    columns.entry(name).or_default().push(number);
                }
            }
            let fields = of_runs.iter().flat_map(|detail| detail.iter());
            for (field, value) in fields.filter(|(field, _)| *field != LOST) {
                match row.get_mut(field) {
                    Some(Value::Array(values)) => values.push(value.clone()),
                    _ => {
                        row.insert(field.clone(), json!([value]));
                    }
                }
            }
            details.push(Value::Object(row));
        }
        let part = |example: &str| example.split('_').next().unwrap_or_default().to_owned();
        let parts: Vec<String> = groups.keys().map(|example| part(example)).collect();
        let mut names: Vec<&String> = parts.iter().collect();
        names.sort();
        names.dedup();
        let mut metrics = Vec::new();
        for name in names {
            for (metric, column) in &columns {
                let own = parts.iter().zip(column).filter(|(part, _)| *part == name);
                let percents: Vec<f64> = own.map(|(_, number)| 100.0 * number).collect();
                let name = format!("{name}/{metric}");
                metrics.push(Metric::from_mean(&name, Mean::of(&percents), Unit::Percent));
            }
        }
        metrics.extend(columns.iter().map(|(name, column)| self.of_questions(name, column)));
        (metrics, Value::Array(details))
    }

    fn g_pass_of(&self, answers: usize, right: usize) -> Vec<(String, f64)> {
        let of_k = |&k: &usize| {
            let of_threshold = move |&(written, threshold): &(&str, f64)| {
                (format!("G-Pass@{k}_{written}"), g_pass_at_k(answers, right, k, threshold))
            };
            let mean = (format!("mG-Pass@{k}"), mean_g_pass_at_k(answers, right, k));
            THRESHOLDS.iter().map(of_threshold).chain([mean])
        };
        self.repeats.k.iter().flat_map(of_k).collect()
    }

    /// `pass@k`, where every row is right or wrong.
    fn pass_at(&self, groups: &IndexMap<&str, Vec<&Map<String, Value>>>) -> Vec<Metric> {
        let of_details = || {
            let counted = groups.values().map(|details| {
                let flags: Option<Vec<bool>> = details.iter().map(|own| is_right(own)).collect();
                flags.map(|flags| (flags.len(), flags.into_iter().filter(|flag| *flag).count()))
            });
            let counted: Vec<(usize, usize)> = counted.collect::<Option<_>>()?;
            (counted.len() == self.questions().len()).then_some(counted)
        };
        let Some(counted) = of_details().or_else(|| self.right_by_scores()) else {
            return Vec::new();
        };
        let of_k = |&k: &usize| {
            let shares = counted.iter().map(|&(answers, right)| pass_at_k(answers, right, k));
            // A question with fewer answers than that says nothing.
            let shares: Vec<f64> = shares.collect::<Option<_>>()?;
            Some(self.of_questions(&format!("pass@{k}"), &shares))
        };
        self.repeats.k.iter().filter_map(of_k).collect()
    }

    /// How many answers each question has and how many are right, by the first metric's scores.
    fn right_by_scores(&self) -> Option<Vec<(usize, usize)>> {
        let mut is_right = vec![false; self.rows.len()];
        for run in self.runs {
            let metric =
                run.scores.metrics.first().filter(|metric| metric.unit == Unit::Percent)?;
            if metric.scores.len() != run.rows.len() {
                return None;
            }
            for (&row, &score) in run.rows.iter().zip(&metric.scores) {
                let is_share = score.abs() < f64::EPSILON || (score - 1.0).abs() < f64::EPSILON;
                *is_right.get_mut(row).filter(|_| is_share)? = score > 0.5;
            }
        }
        let count = |rows: Vec<usize>| {
            (rows.len(), rows.iter().filter(|&&row| is_right.get(row) == Some(&true)).count())
        };
        Some(self.questions().into_values().map(count).collect())
    }

    /// The first figure, had every question been answered with what most runs answer.
    fn of_majority(&self) -> Result<Option<Metric>, EvaluateError> {
        let is_answer = self.rows.iter().all(|row| !row.prediction.is_null());
        if self.rows.is_empty() || !is_answer {
            return Ok(None);
        }
        let voted = |rows: Vec<usize>| {
            let own = rows.iter().filter_map(|&row| self.rows.get(row));
            let most = majority(own.clone().map(|row| &row.prediction))?;
            own.clone().find(|row| row.prediction == *most).cloned()
        };
        let rows: Vec<Row<'_>> = self.questions().into_values().filter_map(voted).collect();
        let scores = self.evaluator.evaluate(&rows)?;
        let first = scores.metrics.into_iter().next();
        Ok(first.map(|metric| Metric {
            name: format!("{} (majority of {} runs)", metric.name, self.repeats.runs),
            scores: if metric.scores.len() == rows.len() {
                self.at_first_rows(metric.scores.iter().copied())
            } else {
                Vec::new()
            },
            ..metric
        }))
    }
}

/// Whether details call a row right; nothing if they do not say.
fn is_right(detail: &Map<String, Value>) -> Option<bool> {
    let flag = FLAGS.iter().find_map(|name| detail.get(*name).filter(|flag| !flag.is_null()))?;
    Some(match flag {
        Value::Bool(flag) => *flag,
        other => other.as_f64().is_some_and(|number| number.trunc() >= 1.0),
    })
}
