//! Metrics that look at all rows together: what they share.

use super::{EvaluateError, Evaluator, Row, Scores};

/// A metric that is a function of all rows, without parameters.
pub(super) struct OfRows {
    scores: fn(&[Row<'_>]) -> Result<Scores, EvaluateError>,
    departures: fn(&[Row<'_>]) -> Vec<(usize, &'static str)>,
}

impl OfRows {
    /// A metric that scores all that the original tool scores, and nothing else.
    pub(super) const fn new(scores: fn(&[Row<'_>]) -> Result<Scores, EvaluateError>) -> Self {
        Self { scores, departures: |_| Vec::new() }
    }

    /// The same for one that scores more.
    pub(super) const fn departing(
        self,
        departures: fn(&[Row<'_>]) -> Vec<(usize, &'static str)>,
    ) -> Self {
        Self { departures, ..self }
    }
}

impl Evaluator for OfRows {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        (self.scores)(rows)
    }

    fn departures(&self, rows: &[Row<'_>]) -> Vec<(usize, &'static str)> {
        (self.departures)(rows)
    }
}
