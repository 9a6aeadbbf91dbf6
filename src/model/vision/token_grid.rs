//! Where the tokens of an image or a video stand for a decoder whose positions have three axes.

use crate::model::spec::Place;

/// Rows and columns of tokens at one time or several: time by time, and row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenGrid {
    /// How far each time is from the first; an image has one.
    pub times: Vec<u32>,
    /// Rows of tokens.
    pub rows: usize,
    /// Tokens of a row.
    pub columns: usize,
}

impl TokenGrid {
    /// That of an image.
    pub fn of_image([rows, columns]: [usize; 2]) -> Self {
        Self { times: vec![0], rows, columns }
    }

    /// How many tokens there are.
    pub fn tokens(&self) -> usize {
        self.times.len() * self.rows * self.columns
    }

    /// The place of every token, where the first stands at `base`.
    pub(crate) fn places(&self, base: u32) -> impl Iterator<Item = Place> {
        let [rows, columns] = [self.rows, self.columns];
        self.times.iter().flat_map(move |&time| {
            (0..rows * columns).map(move |token| {
                let [row, column] = [token / columns, token % columns].map(|at| at as u32);
                [base.saturating_add(time), base + row, base + column]
            })
        })
    }

    /// How far behind `base` the next token stands: times do not count, however many there are.
    pub(crate) fn advance(&self) -> u32 {
        self.rows.max(self.columns) as u32
    }
}
