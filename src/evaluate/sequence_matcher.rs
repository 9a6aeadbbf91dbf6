//! How alike two texts are by their longest common blocks: the ratio of Python's `difflib.SequenceMatcher`.
//!
//! The longest block is found first, then the longest on each side of it, and so on. In a long second text
//! letters that stand there more often than one in a hundred times begin no block, which changes the
//! figure and is therefore done here too.

use std::collections::HashMap;

/// From so many letters on, frequent ones begin no block.
const LONG_CHARS: usize = 200;

/// Twice the letters of all blocks over the letters of both texts; 1 for two empty ones.
pub(super) fn ratio(left: &[char], right: &[char]) -> f64 {
    let all = left.len() + right.len();
    if all == 0 {
        return 1.0;
    }
    let places = telling_places(right);
    let mut matched = 0;
    let mut open = vec![(0, left.len(), 0, right.len())];
    while let Some((left_start, left_end, right_start, right_end)) = open.pop() {
        let bounds = [left_start, left_end, right_start, right_end];
        let Block { left: at, right: with, length } = longest(left, right, &places, bounds);
        if length == 0 {
            continue;
        }
        matched += length;
        if left_start < at && right_start < with {
            open.push((left_start, at, right_start, with));
        }
        if at + length < left_end && with + length < right_end {
            open.push((at + length, left_end, with + length, right_end));
        }
    }
    2.0 * matched as f64 / all as f64
}

/// A run of letters that stands in both texts.
struct Block {
    left: usize,
    right: usize,
    length: usize,
}

/// Where each letter stands, without those that are frequent in a long text.
fn telling_places(text: &[char]) -> HashMap<char, Vec<usize>> {
    let mut places: HashMap<char, Vec<usize>> = HashMap::new();
    for (place, &letter) in text.iter().enumerate() {
        places.entry(letter).or_default().push(place);
    }
    if text.len() >= LONG_CHARS {
        let most = text.len() / 100 + 1;
        places.retain(|_, places| places.len() <= most);
    }
    places
}

/// The longest block within the bounds, the first of several; then as far as letters agree on either side.
fn longest(
    left: &[char],
    right: &[char],
    places: &HashMap<char, Vec<usize>>,
    [left_start, left_end, right_start, right_end]: [usize; 4],
) -> Block {
    let mut best = Block { left: left_start, right: right_start, length: 0 };
    // The length of the block that ends at each place of the right text.
    let mut lengths: HashMap<usize, usize> = HashMap::new();
    for (offset, letter) in left[left_start..left_end].iter().enumerate() {
        let mut longer = HashMap::new();
        let own = places.get(letter).map(Vec::as_slice).unwrap_or_default();
        let within = own.iter().filter(|&&place| (right_start..right_end).contains(&place));
        for &place in within {
            let before = place.checked_sub(1).and_then(|before| lengths.get(&before));
            let length = before.copied().unwrap_or_default() + 1;
            longer.insert(place, length);
            if length > best.length {
                let end = left_start + offset + 1;
                best = Block { left: end - length, right: place + 1 - length, length };
            }
        }
        lengths = longer;
    }
    while best.left > left_start
        && best.right > right_start
        && left[best.left - 1] == right[best.right - 1]
    {
        best.left -= 1;
        best.right -= 1;
        best.length += 1;
    }
    while best.left + best.length < left_end
        && best.right + best.length < right_end
        && left[best.left + best.length] == right[best.right + best.length]
    {
        best.length += 1;
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_those_of_difflib() {
        // Each row was run in CPython 3.11.
        let letters = |text: &str| text.chars().collect::<Vec<_>>();
        let long = "abcdefghij".repeat(25);
        let shifted = format!("x{long}");
        let rows = [
            ("", "", 1.0),
            ("abxcd", "abcd", 0.888_888_888_888_888_8),
            ("qabxcd", "abycdf", 2.0 / 3.0),
            (&long, &long, 1.0),
            (&long, &shifted, 0.0),
            ("tide", "diet", 0.25),
        ];
        for (left, right, expected) in rows {
            let found = ratio(&letters(left), &letters(right));
            assert!((found - expected).abs() < 1e-12, "{left} {right}: {found}");
        }
    }
}
