//! Components that are stored at half size, as libjpeg's `jdsample.c` enlarges them: a new level is three parts of the nearer one and one of the
//! other. Roundings take turns, so that no side is favoured.

use crate::image::Size;

/// `plane`, of rows of `row_levels` of which those of `samples` count, in the size of the image. `times` is how much larger it becomes across and down.
pub(super) fn enlarged(
    plane: &[u8],
    row_levels: usize,
    samples: Size,
    times: (usize, usize),
    size: Size,
) -> Vec<u8> {
    let row = |y: usize| &plane[y.min(samples.height - 1) * row_levels..][..samples.width];
    // libjpeg repeats levels where there are too few for ends and a middle.
    let is_smooth_across = samples.width > 2;
    let mut output = Vec::with_capacity(size.pixels());
    let mut wide = Vec::new();
    for y in 0..size.height {
        wide.clear();
        let near = row(y / times.1);
        // The row above for the upper of two, the row below for the lower.
        let other = || row(if y % 2 == 0 { (y / 2).saturating_sub(1) } else { y / 2 + 1 });
        match times {
            (1, 1) => wide.extend_from_slice(near),
            (2, 1) if is_smooth_across => twice_across(near, &mut wide),
            (1, 2) => {
                let bias = if y % 2 == 0 { 1 } else { 2 };
                let pairs = near.iter().zip(other());
                wide.extend(
                    pairs.map(|(near, other)| ((3 * sum(*near) + sum(*other) + bias) >> 2) as u8),
                );
            }
            (2, 2) if is_smooth_across => twice_both_ways(near, other(), &mut wide),
            (across, _) => {
                wide.extend(near.iter().flat_map(|level| std::iter::repeat_n(*level, across)));
            }
        }
        output.extend_from_slice(&wide[..size.width]);
    }
    output
}

fn sum(level: u8) -> u32 {
    u32::from(level)
}

/// A row of two or more levels in twice its width.
fn twice_across(row: &[u8], output: &mut Vec<u8>) {
    for (at, level) in row.iter().enumerate() {
        let three = 3 * sum(*level);
        let left = at.checked_sub(1).map(|left| row[left]);
        let right = row.get(at + 1);
        output.push(left.map_or(*level, |left| ((three + sum(left) + 1) >> 2) as u8));
        output.push(right.map_or(*level, |right| ((three + sum(*right) + 2) >> 2) as u8));
    }
}

/// Two rows, of which the first is nearer, as one in twice their width.
fn twice_both_ways(near: &[u8], other: &[u8], output: &mut Vec<u8>) {
    let column = |at: usize| 3 * sum(near[at]) + sum(other[at]);
    for at in 0..near.len() {
        let here = column(at);
        let left = if at == 0 { here } else { column(at - 1) };
        let right = if at + 1 == near.len() { here } else { column(at + 1) };
        output.push(((3 * here + left + 8) >> 4) as u8);
        output.push(((3 * here + right + 7) >> 4) as u8);
    }
}
