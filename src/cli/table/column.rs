//! What a column holds, and what may happen to it where there is no room.

/// On which side a column is filled up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// A column of a [`Table`](super::Table).
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct Column {
    pub(super) name: &'static str,
    pub(super) side: Side,
    /// Columns that are left of it at least when it is shortened; `None` if it is never.
    pub(super) shortest: Option<usize>,
    /// Whether it is broken into lines instead.
    pub(super) folds: bool,
    /// When it goes: the lowest first. `None` if it stays.
    pub(super) rank: Option<u8>,
    /// Whether it goes only where all rows say the same.
    pub(super) only_if_same: bool,
}

impl Column {
    /// A column of text, which stays as it is.
    pub(in crate::cli) fn text(name: &'static str) -> Self {
        let (side, rank) = (Side::Left, None);
        Self { name, side, shortest: None, folds: false, rank, only_if_same: false }
    }

    /// A column of numbers, which is never cut.
    pub(in crate::cli) fn number(name: &'static str) -> Self {
        Self { side: Side::Right, ..Self::text(name) }
    }

    /// Text that may be shortened, to so many columns at least while others can go.
    pub(in crate::cli) fn shortest(self, columns: usize) -> Self {
        Self { shortest: Some(columns), ..self }
    }

    /// Text that may be broken into several lines.
    pub(in crate::cli) fn folds(self) -> Self {
        Self { folds: true, ..self }
    }

    /// A column that may go, those of lower rank before it.
    pub(in crate::cli) fn optional(self, rank: u8) -> Self {
        Self { rank: Some(rank), ..self }
    }

    /// Unless rows differ in it.
    pub(in crate::cli) fn only_if_same(self) -> Self {
        Self { only_if_same: true, ..self }
    }
}
