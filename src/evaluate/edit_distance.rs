//! How far two texts are apart, letter by letter.

use super::common_subsequence::common_length;

/// How many letters have to be put in, taken out or changed.
pub(super) fn edit_distance(left: &[char], right: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, letter) in left.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (column, other) in right.iter().enumerate() {
            let changed = diagonal + usize::from(letter != other);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

/// How alike two texts are where a change counts as one letter out and one in, from 0 to 1.
pub(super) fn indel_ratio(left: &[char], right: &[char]) -> f64 {
    let most = left.len() + right.len();
    if most == 0 {
        return 1.0;
    }
    let distance = most - 2 * common_length(left, right);
    1.0 - distance as f64 / most as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distance_is_counted_in_letters() {
        let distance = |left: &str, right: &str| {
            let letters = |text: &str| text.chars().collect::<Vec<_>>();
            edit_distance(&letters(left), &letters(right))
        };
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "é中"), 2);
        assert_eq!(distance("flaw", "lawn"), 2);
    }

    #[test]
    fn a_change_is_two_of_put_in_and_taken_out() {
        let ratio = indel_ratio(&['a', 'b', 'c'], &['a', 'x', 'c']);
        assert!((ratio - 2.0 / 3.0).abs() < 1e-12, "{ratio}");
    }
}
