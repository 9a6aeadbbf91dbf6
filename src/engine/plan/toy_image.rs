//! Images of the toy model: runs of ids that say by themselves how they are laid out.
//!
//! An image's number decides everything about it: how many rows it has, whether they see each other both ways, and whether they stand in
//! rows and columns. So the toy can tell from the ids alone what a plan has to say of them.

use std::ops::Range;

use proptest::prelude::*;

use super::SequenceLayout;

/// The first id that is a row of an image.
const FIRST_ID: u32 = 1000;

/// Ids that are set aside for an image.
const IDS: u32 = 16;

/// Columns of an image that has any.
const COLUMNS: u32 = 3;

/// An image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) struct ToyImage(u32);

impl ToyImage {
    /// The image that an id belongs to, and which of its rows the id is.
    pub(super) fn of(id: u32) -> Option<(Self, u32)> {
        let place = id.checked_sub(FIRST_ID)?;
        Some((Self(place / IDS), place % IDS))
    }

    /// The ids of its rows: 1 to 11 of them.
    pub(in crate::engine) fn ids(self) -> Range<u32> {
        let first = FIRST_ID + self.0 * IDS;
        first..first + 1 + (self.0 * 7 + 3) % 11
    }

    /// Whether its rows see each other both ways.
    pub(in crate::engine) fn sees_both_ways(self) -> bool {
        self.0 % 2 == 1
    }

    fn has_columns(self) -> bool {
        self.0.is_multiple_of(3)
    }

    /// Whether tokens may stand between its rows.
    fn is_interruptible(self) -> bool {
        !self.sees_both_ways() && !self.has_columns()
    }
}

/// What positions do not say of a sequence, or of the beginning of one.
pub(in crate::engine) fn layout(ids: &[u32]) -> Option<SequenceLayout> {
    ids.iter().find_map(|&id| ToyImage::of(id))?;
    let mut layout = SequenceLayout::default();
    let mut base = 0;
    for (position, &id) in ids.iter().enumerate() {
        let Some((image, row)) = ToyImage::of(id) else {
            layout.places.push([layout.after; 3]);
            layout.after += 1;
            continue;
        };
        let rows = image.ids().len() as u32;
        if row == 0 {
            base = layout.after;
        }
        if row == 0 && image.sees_both_ways() {
            layout.both_ways.push(position..position + rows as usize);
        }
        if image.has_columns() {
            layout.places.push([base, base + row / COLUMNS, base + row % COLUMNS]);
            layout.after = base + rows.div_ceil(COLUMNS).max(COLUMNS);
        } else {
            layout.places.push([layout.after; 3]);
            layout.after += 1;
        }
    }
    Some(layout)
}

/// The longest span of a sequence that is seen both ways; 0 if it has none.
pub(in crate::engine) fn longest_span(ids: &[u32]) -> usize {
    let spans = layout(ids).into_iter().flat_map(|layout| layout.both_ways);
    spans.map(|span| span.len()).max().unwrap_or(0)
}

/// A token, an image, or an image with a token between its rows where that may be.
fn piece() -> impl Strategy<Value = Vec<u32>> {
    let image = (0u32..8, 1usize..11, any::<bool>()).prop_map(|(number, at, is_interrupted)| {
        let image = ToyImage(number);
        let mut ids: Vec<u32> = image.ids().collect();
        if is_interrupted && image.is_interruptible() && at < ids.len() {
            ids.insert(at, 1);
        }
        ids
    });
    prop_oneof![3 => (0u32..3).prop_map(|token| vec![token]), 2 => image]
}

/// Sequences of tokens and images that begin alike more often than not; each ends with a token.
pub(in crate::engine) fn sequences() -> impl Strategy<Value = Vec<Vec<u32>>> {
    let pieces = prop::collection::vec(piece(), 0..9);
    let more = (0usize..12, 0usize..9, prop::collection::vec(piece(), 0..4));
    (prop::collection::vec(pieces, 1..12), prop::collection::vec(more, 0..12)).prop_map(
        |(mut all, more)| {
            for (source, cut, more) in more {
                let mut pieces = all[source % all.len()].clone();
                pieces.truncate(pieces.len().saturating_sub(cut));
                pieces.extend(more);
                all.push(pieces);
            }
            all.into_iter().map(|pieces| [pieces.concat(), vec![2]].concat()).collect()
        },
    )
}
