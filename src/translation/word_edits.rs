//! The edits that turn one list of words into another, within a band around the diagonal.
//!
//! As sacreBLEU's `BeamEditDistance`: cells outside the band are never reached, and of equally cheap edits a
//! substitution is preferred, then a deletion, then an insertion.

/// Half the width of the band.
const BEAM: usize = 25;

/// An edit of the written words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edit {
    Keep,
    Substitute,
    /// A word of the reference that is not written.
    Insert,
    /// A written word that the reference lacks.
    Delete,
}

/// How many edits it takes to get here, and the last of them.
type Cell = Option<(usize, Edit)>;

/// The cells of all written words, row by row.
pub(super) struct Edits {
    rows: Vec<Vec<Cell>>,
}

impl Edits {
    /// Those of written words. The rows of the words that other ones begin with are taken from them; these have to be as
    /// many, so that the band is the same.
    pub(super) fn of(
        written: &[&str],
        reference: &[&str],
        known: Option<(&Self, &[&str])>,
    ) -> Self {
        let columns = reference.len() + 1;
        let first = (0..columns).map(|column| Some((column, Edit::Insert))).collect();
        let mut rows: Vec<Vec<Cell>> = vec![first];
        if let Some((known, words)) = known {
            let pairs = words.iter().zip(written);
            let same = pairs.take_while(|(one, other)| one == other).count();
            rows.extend(known.rows.iter().skip(1).take(same).cloned());
        }
        let ratio = reference.len() as f64 / written.len().max(1) as f64;
        let is_wide = ratio / 2.0 > BEAM as f64;
        let beam = if is_wide { (ratio / 2.0 + BEAM as f64).ceil() as usize } else { BEAM };
        for row in rows.len()..=written.len() {
            let diagonal = (row as f64 * ratio).floor() as usize;
            let last = if row == written.len() { columns } else { columns.min(diagonal + beam) };
            let before = rows.last().map(Vec::as_slice).unwrap_or_default();
            let mut cells: Vec<Cell> = vec![None; columns];
            for column in diagonal.saturating_sub(beam)..last {
                let found = cheapest(before, &cells, column, || {
                    written.get(row - 1) == reference.get(column - 1)
                });
                if let Some(place) = cells.get_mut(column) {
                    *place = found;
                }
            }
            rows.push(cells);
        }
        Self { rows }
    }

    /// How many edits there are.
    pub(super) fn count(&self) -> usize {
        let last = self.rows.last().and_then(|row| row.last().copied().flatten());
        last.map_or(0, |(count, _)| count)
    }

    /// The edits from the first word to the last.
    pub(super) fn path(&self) -> Vec<Edit> {
        let mut path = Vec::new();
        let mut row = self.rows.len().saturating_sub(1);
        let mut column = self.rows.first().map_or(0, |row| row.len().saturating_sub(1));
        while row > 0 || column > 0 {
            let cells = self.rows.get(row).map(Vec::as_slice).unwrap_or_default();
            let Some((_, edit)) = cells.get(column).copied().flatten() else { break };
            path.push(edit);
            if edit != Edit::Insert {
                row = row.saturating_sub(1);
            }
            if edit != Edit::Delete {
                column = column.saturating_sub(1);
            }
        }
        path.reverse();
        path
    }
}

/// The cheapest way to a cell, from the row before it or from the cell before it.
fn cheapest(before: &[Cell], cells: &[Cell], column: usize, is_same: impl Fn() -> bool) -> Cell {
    let from = |cells: &[Cell], column: usize| cells.get(column).copied().flatten();
    let Some(left) = column.checked_sub(1) else {
        return from(before, 0).map(|(count, _)| (count + 1, Edit::Delete));
    };
    let (cost, edit) = if is_same() { (0, Edit::Keep) } else { (1, Edit::Substitute) };
    let ways = [
        from(before, left).map(|(count, _)| (count + cost, edit)),
        from(before, column).map(|(count, _)| (count + 1, Edit::Delete)),
        from(cells, left).map(|(count, _)| (count + 1, Edit::Insert)),
    ];
    // Of equals the first.
    ways.into_iter().flatten().min_by_key(|(count, _)| *count)
}
