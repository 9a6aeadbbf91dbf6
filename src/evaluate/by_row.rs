//! Metrics that grade each row for itself and average: what they share.

use serde_json::{Map, Value, json};

use super::{EvaluateError, Evaluator, Metric, Row, Scores};
use crate::postprocess::PostprocessError;

/// A metric that is the mean of its rows' grades, in percent unless it is said otherwise.
pub(super) struct ByRow {
    /// Its name in messages.
    pub(super) evaluator: &'static str,
    /// The name of the figure.
    pub(super) metric: &'static str,
    /// To how many places the figure is rounded; without it, it is not.
    pub(super) places: Option<u32>,
    /// What the grades come to.
    pub(super) figure: fn(&str, Vec<f64>) -> Metric,
    /// Grades one row.
    pub(super) grade: fn(&Asked<'_>) -> Result<Grade, EvaluateError>,
}

/// A row with its place, for messages.
pub(super) struct Asked<'r> {
    pub(super) row: &'r Row<'r>,
    pub(super) index: usize,
    evaluator: &'static str,
}

/// What a row is worth, and what is noted about it.
pub(super) struct Grade {
    /// From 0 to 1, mostly.
    share: f64,
    detail: Option<Map<String, Value>>,
    /// Why the original tool has no score here.
    departure: Option<&'static str>,
}

impl ByRow {
    /// A metric called `score` that is not rounded.
    pub(super) const fn new(
        evaluator: &'static str,
        grade: fn(&Asked<'_>) -> Result<Grade, EvaluateError>,
    ) -> Self {
        Self { evaluator, metric: "score", places: None, figure: Metric::of_grades, grade }
    }

    /// The same under another name.
    pub(super) const fn called(self, metric: &'static str) -> Self {
        Self { metric, ..self }
    }

    /// The same with another figure of the grades than their mean in percent.
    pub(super) const fn measured(self, figure: fn(&str, Vec<f64>) -> Metric) -> Self {
        Self { figure, ..self }
    }

    /// The same, rounded to two places.
    pub(super) const fn rounded(self) -> Self {
        Self { places: Some(2), ..self }
    }
}

impl Evaluator for ByRow {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let mut scores = graded([self.evaluator, self.metric], rows, self.grade)?;
        let Some(metric) = scores.metrics.first_mut() else { return Ok(scores) };
        *metric = (self.figure)(self.metric, std::mem::take(&mut metric.scores));
        if let Some(places) = self.places {
            metric.value = rounded(metric.value, places);
        }
        Ok(scores)
    }

    fn departures(&self, rows: &[Row<'_>]) -> Vec<(usize, &'static str)> {
        let why = |row| (self.grade)(&Asked::new(row, 0, self.evaluator)).ok()?.departure;
        rows.iter().enumerate().filter_map(|(index, row)| Some((index, why(row)?))).collect()
    }
}

/// The mean of what rows are worth, in percent, for an evaluator and a figure of these names. The way to grade
/// may remember what it has made for earlier rows.
pub(super) fn graded(
    [evaluator, metric]: [&'static str; 2],
    rows: &[Row<'_>],
    mut grade: impl FnMut(&Asked<'_>) -> Result<Grade, EvaluateError>,
) -> Result<Scores, EvaluateError> {
    let mut shares = Vec::with_capacity(rows.len());
    let mut details = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let grade = grade(&Asked::new(row, index, evaluator))?;
        shares.push(grade.share);
        details.extend(grade.detail);
    }
    let has_details = !rows.is_empty() && details.len() == rows.len();
    let details = has_details.then_some(details);
    Ok(Scores { metrics: vec![Metric::of_grades(metric, shares)], samples: rows.len(), details })
}

/// To the nearest number of so many places, as its decimal digits say; a tie goes to the even digit.
pub(super) fn rounded(value: f64, places: u32) -> f64 {
    format!("{value:.*}", places as usize).parse().unwrap_or(value)
}

impl Grade {
    /// A grade of which nothing is noted.
    pub(super) fn share(share: f64) -> Self {
        Self { share, detail: None, departure: None }
    }

    /// Right or wrong, with nothing noted.
    pub(super) fn of(is_correct: bool) -> Self {
        Self::share(f64::from(u8::from(is_correct)))
    }

    /// Right or wrong, with what was compared.
    pub(super) fn compared(
        prediction: impl Into<Value>,
        answer: impl Into<Value>,
        is_correct: bool,
    ) -> Self {
        Self::of(is_correct).noted([
            ("pred", prediction.into()),
            ("answer", answer.into()),
            ("correct", json!(is_correct)),
        ])
    }

    /// The same grade with a detail of these fields.
    pub(super) fn noted<const N: usize>(self, fields: [(&str, Value); N]) -> Self {
        let detail = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self { detail: Some(detail), ..self }
    }

    /// The same grade with one field more in its detail.
    pub(super) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.detail.get_or_insert_default().insert(name.to_owned(), value.into());
        self
    }

    /// The same grade on a row on which the original tool gives up, and why it does.
    pub(super) fn departing(self, why: &'static str) -> Self {
        Self { departure: Some(why), ..self }
    }
}

impl<'r> Asked<'r> {
    /// The row at this place, for a metric of this name.
    pub(super) fn new(row: &'r Row<'r>, index: usize, evaluator: &'static str) -> Self {
        Self { row, index, evaluator }
    }

    /// The prediction, which has to be a text.
    pub(super) fn prediction(&self) -> Result<&'r str, EvaluateError> {
        self.text("the prediction", &self.row.prediction)
    }

    /// The reference, which has to be a text.
    pub(super) fn reference(&self) -> Result<&'r str, EvaluateError> {
        self.text("the reference", &self.row.reference)
    }

    /// The accepted answers. A text is taken as a list of its letters, as Python walks through it.
    pub(super) fn references(&self) -> Result<Vec<String>, EvaluateError> {
        match &self.row.reference {
            Value::String(text) => Ok(text.chars().map(String::from).collect()),
            Value::Array(answers) => answers
                .iter()
                .map(|answer| self.text("an accepted answer", answer).map(str::to_owned))
                .collect(),
            _ => {
                Err(self.wrong("the reference", "a list of accepted answers", &self.row.reference))
            }
        }
    }

    /// The texts that the prediction is compared with: one, or a list of them.
    pub(super) fn texts(&self) -> Result<Vec<&'r str>, EvaluateError> {
        match &self.row.reference {
            Value::Array(texts) => {
                texts.iter().map(|text| self.text("a reference", text)).collect()
            }
            text => Ok(vec![self.text("the reference", text)?]),
        }
    }

    /// A column of the row, which the metric needs.
    pub(super) fn column(&self, name: &'static str) -> Result<&'r Value, EvaluateError> {
        let found = self.row.sample.and_then(|sample| sample.get(name));
        found.ok_or(EvaluateError::NoColumn {
            row: self.index,
            evaluator: self.evaluator,
            column: name,
        })
    }

    /// The same if there is at least one.
    pub(super) fn some_references(&self) -> Result<Vec<String>, EvaluateError> {
        let answers = self.references()?;
        if answers.is_empty() {
            return Err(self.wrong("the reference", "an accepted answer", &self.row.reference));
        }
        Ok(answers)
    }

    /// A column that has to be a text.
    pub(super) fn text_column(&self, name: &'static str) -> Result<&str, EvaluateError> {
        self.text(name, self.column(name)?)
    }

    /// A column that has to be a list.
    pub(super) fn list_column(&self, name: &'static str) -> Result<&[Value], EvaluateError> {
        let found = self.column(name)?;
        found.as_array().map(Vec::as_slice).ok_or_else(|| self.wrong(name, "a list", found))
    }

    /// The error for a reference that is written in another way than the metric reads.
    pub(super) fn unreadable_reference(&self, expected: &'static str) -> EvaluateError {
        self.wrong("the reference", expected, &self.row.reference)
    }

    /// The error of a rule that could not read a text.
    pub(super) fn failed(&self, source: impl Into<PostprocessError>) -> EvaluateError {
        EvaluateError::Normalization { row: self.index, source: Box::new(source.into()) }
    }

    /// A value that has to be a text.
    pub(super) fn text<'v>(
        &self,
        what: &'static str,
        value: &'v Value,
    ) -> Result<&'v str, EvaluateError> {
        value.as_str().ok_or_else(|| self.wrong(what, "text", value))
    }

    /// The error for a value of another kind than the metric reads.
    pub(super) fn wrong(
        &self,
        what: &'static str,
        expected: &'static str,
        found: &Value,
    ) -> EvaluateError {
        EvaluateError::WrongKind {
            row: self.index,
            evaluator: self.evaluator,
            what,
            expected,
            found: found.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_that_of_python() {
        // round(x, 2) in CPython.
        for (value, expected) in
            [(66.666_666, 66.67), (0.125, 0.12), (0.375, 0.38), (2.675, 2.67), (100.0, 100.0)]
        {
            assert_eq!(rounded(value, 2).to_bits(), f64::to_bits(expected), "{value}");
        }
    }

    #[test]
    fn every_row_has_its_share() {
        let metric = ByRow::new("half", |_| Ok(Grade::share(0.5)));
        let rows = Row::zip(vec!["a".into(), "b".into()], vec!["a".into(), "b".into()]).unwrap();
        let scores = metric.evaluate(&rows).unwrap();
        assert_eq!(scores.metrics[0].value.to_bits(), 50_f64.to_bits());
        assert_eq!(scores.metrics[0].scores, [0.5, 0.5]);
        assert!(scores.details.is_none());
    }
}
