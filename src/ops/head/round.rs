//! Rows of the head's input that are looked at together, and what is asked of them.
//!
//! The memory for logits grows with the rows, so many rows are taken in rounds.

/// Rows that are folded at once: bounds the memory for their stretches.
pub(super) const MOST_ROWS: usize = 4096;

/// Rows, and targets by the place of their row among them.
pub(super) type Round = (Vec<usize>, Vec<(usize, u32)>);

/// Targets in rounds of at most `most_rows` rows.
pub(super) fn rounds(targets: &[(usize, u32)], most_rows: usize) -> Vec<Round> {
    let mut rounds = Vec::new();
    let mut rest = targets;
    while !rest.is_empty() {
        let mut distinct: Vec<usize> = Vec::new();
        let mut round = Vec::new();
        for &(row, token) in rest {
            if distinct.last() != Some(&row) {
                if distinct.len() == most_rows {
                    break;
                }
                distinct.push(row);
            }
            round.push((distinct.len() - 1, token));
        }
        rest = &rest[round.len()..];
        rounds.push((distinct, round));
    }
    rounds
}
