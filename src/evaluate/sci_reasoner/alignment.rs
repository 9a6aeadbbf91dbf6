//! How well two proteins can be laid side by side: the best local alignment of their amino acids.
//!
//! T. F. Smith and M. S. Waterman, "Identification of common molecular subsequences" (1981), with gaps whose first
//! place costs more than the others, as O. Gotoh (1982) counts them. What amino acids are worth beside each other is
//! BLOSUM45 of S. and J. G. Henikoff (1992).

/// The letters of the table, in its order; the last four stand for several amino acids or for none.
const LETTERS: &str = "ARNDCQEGHILKMFPSTWYVBZX*";

/// What two letters are worth; each row ends at its own letter.
const BLOSUM45: [&[i8]; 24] = [
    &[5],
    &[-2, 7],
    &[-1, 0, 6],
    &[-2, -1, 2, 7],
    &[-1, -3, -2, -3, 12],
    &[-1, 1, 0, 0, -3, 6],
    &[-1, 0, 0, 2, -3, 2, 6],
    &[0, -2, 0, -1, -3, -2, -2, 7],
    &[-2, 0, 1, 0, -3, 1, 0, -2, 10],
    &[-1, -3, -2, -4, -3, -2, -3, -4, -3, 5],
    &[-1, -2, -3, -3, -2, -2, -2, -3, -2, 2, 5],
    &[-1, 3, 0, 0, -3, 1, 1, -2, -1, -3, -3, 5],
    &[-1, -1, -2, -3, -2, 0, -2, -2, 0, 2, 2, -1, 6],
    &[-2, -2, -2, -4, -2, -4, -3, -3, -2, 0, 1, -3, 0, 8],
    &[-1, -2, -2, -1, -4, -1, 0, -2, -2, -2, -3, -1, -2, -3, 9],
    &[1, -1, 1, 0, -1, 0, 0, 0, -1, -2, -3, -1, -2, -2, -1, 4],
    &[0, -1, 0, -1, -1, -1, -1, -2, -2, -1, -1, -1, -1, -1, -1, 2, 5],
    &[-2, -2, -4, -4, -5, -2, -3, -2, -3, -2, -2, -2, -2, 1, -3, -4, -3, 15],
    &[-2, -1, -2, -2, -3, -1, -2, -3, 2, 0, 0, -1, 0, 3, -3, -2, -1, 3, 8],
    &[0, -2, -3, -3, -1, -3, -3, -3, -3, 3, 1, -2, 1, 0, -3, -1, 0, -3, -1, 5],
    &[-1, -1, 4, 5, -2, 0, 1, -1, 0, -3, -3, 0, -2, -3, -2, 0, 0, -4, -2, -3, 4],
    &[-1, 0, 0, 1, -3, 4, 4, -2, 0, -3, -2, 1, -1, -3, -1, 0, -1, -2, -2, -3, 2, 4],
    &[0, -1, -1, -1, -2, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 0, -2, -1, -1, -1, -1, -1],
    &[
        -5, -5, -5, -5, -5, -5, -5, -5, -5, -5, -5, -5, -5, -5, -5, -5, -5, -5, -5, -5, -5, -5, -5,
        1,
    ],
];

/// What the first place of a gap costs.
const OPEN: f64 = -10.0;
/// What each further place costs.
const EXTEND: f64 = -0.5;

/// A letter's place in the table.
#[derive(Clone, Copy)]
struct Residue(usize);

impl Residue {
    fn beside(self, other: Self) -> f64 {
        let worth = BLOSUM45.get(self.0.max(other.0)).and_then(|row| row.get(self.0.min(other.0)));
        worth.map_or(0.0, |worth| f64::from(*worth))
    }
}

/// The best that can end at a place of the second protein, for each place of the first so far.
#[derive(Clone, Copy)]
struct Ends {
    /// With two letters side by side.
    matched: f64,
    /// With a gap in the first protein.
    left: f64,
    /// With a gap in the second.
    right: f64,
}

impl Ends {
    const NONE: Self = Self { matched: 0.0, left: f64::NEG_INFINITY, right: f64::NEG_INFINITY };

    fn best(self) -> f64 {
        self.matched.max(self.left).max(self.right).max(0.0)
    }
}

/// From 0 to 1: the best alignment over the mean of what each protein is worth beside itself; nothing where a letter
/// is not in the table.
pub(super) fn likeness(own: &str, other: &str) -> Option<f64> {
    let (own, other) = (residues(own)?, residues(other)?);
    let best = best_alignment(&own, &other);
    let alone = |all: &[Residue]| all.iter().map(|one| one.beside(*one)).sum::<f64>();
    let (own, other) = (alone(&own), alone(&other));
    if best <= 0.0 || own <= 0.0 || other <= 0.0 {
        return Some(0.0);
    }
    Some((best / (own * other).sqrt()).min(1.0))
}

fn residues(protein: &str) -> Option<Vec<Residue>> {
    protein.chars().map(|letter| LETTERS.find(letter).map(Residue)).collect()
}

fn best_alignment(own: &[Residue], other: &[Residue]) -> f64 {
    let mut above = vec![Ends::NONE; other.len() + 1];
    let mut best = 0.0_f64;
    for residue in own {
        let mut diagonal = Ends::NONE;
        let mut before = Ends::NONE;
        for (place, end) in above.iter_mut().skip(1).zip(other).map(|(end, place)| (place, end)) {
            let up = *end;
            let found = Ends {
                matched: diagonal.best() + residue.beside(*place),
                left: (before.matched + OPEN).max(before.left + EXTEND).max(before.right + OPEN),
                right: (up.matched + OPEN).max(up.right + EXTEND).max(up.left + OPEN),
            };
            best = best.max(found.matched);
            (diagonal, before, *end) = (up, found, found);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_protein_is_like_itself_and_less_like_a_part() {
        assert_eq!(likeness("MKWVT", "MKWVT"), Some(1.0));
        let part = likeness("MKWVTAAA", "MKWVT").unwrap();
        assert!(part > 0.5 && part < 1.0, "{part}");
        assert_eq!(likeness("PPPP", "WWWW"), Some(0.0));
        assert_eq!(likeness("mk", "MK"), None);
    }
}
