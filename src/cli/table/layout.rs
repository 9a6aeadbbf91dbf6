//! Which columns a table shows, and how wide they are.

use super::{
    column::{Column, Side},
    is_same,
};
use crate::cli::width::{Cut, folded_hard, shortened, shortened_apart, width};

/// Between two columns.
const GAP: usize = 2;

/// Names are shortened to so many columns before other columns go.
const READABLE: usize = 32;

/// Folded text has so many columns before other columns go, and at least so many then.
const FOLDED: [usize; 2] = [28, 12];

/// Columns that are left of a text in the end.
const BARELY: usize = 3;

/// A table with widths.
pub(super) struct Layout<'t> {
    columns: &'t [Column],
    /// Indices of the columns that are shown, in order.
    shown: Vec<usize>,
    /// Their widths.
    widths: Vec<usize>,
    /// Their cells, row by row and cut to the width; a folded one has several lines.
    cells: Vec<Vec<Vec<String>>>,
}

impl<'t> Layout<'t> {
    pub(super) fn new(columns: &'t [Column], rows: &'t [Vec<String>], most: usize) -> Self {
        let cell = |row: &'t Vec<String>, column: usize| row.get(column).map_or("", String::as_str);
        let natural: Vec<usize> = (0..columns.len())
            .map(|at| {
                let cells = rows.iter().map(|row| width(cell(row, at)));
                cells.chain([width(columns[at].name)]).max().unwrap_or(0)
            })
            .collect();
        let shown = chosen(columns, rows, &natural, most);
        let widths = widths(columns, &natural, &shown, most);
        let mut cells = vec![Vec::with_capacity(shown.len()); rows.len()];
        for (&at, &columns_wide) in shown.iter().zip(&widths) {
            let texts: Vec<&str> = rows.iter().map(|row| cell(row, at)).collect();
            let cut: Vec<Vec<String>> = if columns[at].folds {
                let fold = |text: &&str| folded_hard(text, columns_wide, 0);
                texts.iter().map(fold).collect()
            } else if natural[at] > columns_wide {
                shortened_apart(&texts, columns_wide).into_iter().map(|text| vec![text]).collect()
            } else {
                texts.iter().map(|text| vec![(*text).to_owned()]).collect()
            };
            for (row, cell) in cells.iter_mut().zip(cut) {
                row.push(cell);
            }
        }
        Self { columns, shown, widths, cells }
    }

    /// Whether a column is shown.
    pub(super) fn holds(&self, column: usize) -> bool {
        self.shown.contains(&column)
    }

    pub(super) fn heading(&self) -> String {
        let names = self.shown.iter().zip(&self.widths);
        let names = names.map(|(&at, &most)| shortened(self.columns[at].name, most, Cut::End));
        self.line(&names.collect::<Vec<_>>())
    }

    pub(super) fn rule(&self) -> String {
        self.line(&self.widths.iter().map(|&columns| "-".repeat(columns)).collect::<Vec<_>>())
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        self.cells.iter().flat_map(|row| {
            let height = row.iter().map(Vec::len).max().unwrap_or(1);
            (0..height).map(|line| {
                let cells = row.iter().map(|cell| cell.get(line).cloned().unwrap_or_default());
                self.line(&cells.collect::<Vec<_>>())
            })
        })
    }

    fn line(&self, cells: &[String]) -> String {
        let mut line = String::new();
        for ((cell, &columns), &at) in cells.iter().zip(&self.widths).zip(&self.shown) {
            if !line.is_empty() || at != *self.shown.first().unwrap_or(&at) {
                line += &" ".repeat(GAP);
            }
            let room = " ".repeat(columns.saturating_sub(width(cell)));
            match self.columns[at].side {
                Side::Left => line.extend([cell.as_str(), &room]),
                Side::Right => line.extend([room.as_str(), cell]),
            }
        }
        line.trim_end_matches(' ').to_owned()
    }
}

/// The columns that are shown: all, or without those that may go, one after another, until the rest
/// fits with readable names.
fn chosen(columns: &[Column], rows: &[Vec<String>], natural: &[usize], most: usize) -> Vec<usize> {
    let mut shown: Vec<usize> = (0..columns.len()).collect();
    let fits = |shown: &[usize]| total(&floors(columns, natural, shown, 0)) <= most;
    while !fits(&shown) {
        let leaving = shown
            .iter()
            .filter_map(|&at| {
                let same = is_same(rows, at);
                let rank = columns[at].rank.filter(|_| same || !columns[at].only_if_same)?;
                Some((!same, rank, at))
            })
            .min();
        let Some((.., leaving)) = leaving else { break };
        shown.retain(|&at| at != leaving);
    }
    shown
}

/// The narrowest that columns should be: at step 0 so that they read well, at step 1 as they ask for,
/// at step 2 so that there is something of them.
fn floors(columns: &[Column], natural: &[usize], shown: &[usize], step: usize) -> Vec<usize> {
    let floor = |&at: &usize| {
        let Column { shortest, folds, .. } = columns[at];
        let floor = match (folds, shortest, step) {
            (true, _, 0 | 1) => FOLDED[step],
            (false, Some(shortest), 0) => shortest.max(READABLE),
            (false, Some(shortest), 1) => shortest,
            (false, None, _) => natural[at],
            _ => BARELY,
        };
        floor.min(natural[at])
    };
    shown.iter().map(floor).collect()
}

/// Widths that fit: whatever is widest becomes narrower first.
fn widths(columns: &[Column], natural: &[usize], shown: &[usize], most: usize) -> Vec<usize> {
    let mut widths: Vec<usize> = shown.iter().map(|&at| natural[at]).collect();
    for step in 0..3 {
        let floors = floors(columns, natural, shown, step);
        while total(&widths) > most {
            let over = total(&widths) - most;
            let widest = (0..widths.len())
                .filter(|&at| widths[at] > floors[at])
                .max_by_key(|&at| (columns[shown[at]].folds, widths[at]));
            let Some(widest) = widest else { break };
            let second = (0..widths.len())
                .filter(|&at| at != widest && widths[at] > floors[at])
                .map(|at| widths[at])
                .max()
                .unwrap_or(0);
            // Down to the second widest at once, then a column at a time.
            let step_down = over.min(widths[widest].saturating_sub(second).max(1));
            widths[widest] = floors[widest].max(widths[widest].saturating_sub(step_down));
        }
    }
    widths
}

fn total(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1)
}
