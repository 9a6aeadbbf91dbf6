//! The rows of one forward pass.

use super::layout::SequenceLayout;
use super::pool::{Block, BlockPool};
use super::table::BlockTable;
use crate::model::spec::Place;
use crate::model::{Rows, Run, Segment};

/// Rows of several sequences, packed one after another without padding.
///
/// It holds a share in every block it names, so that none is handed out again before the batch is
/// gone.
#[derive(Debug, Default)]
pub struct Batch {
    ids: Vec<u32>,
    positions: Vec<u32>,
    slots: Vec<u32>,
    segments: Vec<Segment>,
    /// Where each row's token stands, once one stands elsewhere than its position says.
    places: Vec<Place>,
    is_placed: bool,
    held: Vec<Block>,
}

impl Batch {
    /// Adds the next tokens of the sequence of `table`, the first of them at `position`: as many as
    /// `pool` has room for. Tells how many.
    pub(super) fn push(
        &mut self,
        ids: &[u32],
        (position, layout): (usize, Option<&SequenceLayout>),
        table: &mut BlockTable,
        pool: &BlockPool,
    ) -> usize {
        let first_row = self.len();
        self.slots.extend(ids.iter().map_while(|_| table.push(pool)).map(|slot| slot as u32));
        let rows = self.slots.len() - first_row;
        if rows > 0 {
            self.ids.extend_from_slice(&ids[..rows]);
            let positions = position..position + rows;
            self.positions.extend(positions.clone().map(|position| position as u32));
            let place = |position| {
                layout
                    .map_or([position as u32; 3], |layout: &SequenceLayout| layout.place(position))
            };
            self.places.extend(positions.clone().map(place));
            self.is_placed |= layout.is_some_and(|layout| !layout.places.is_empty());
            let runs = table.runs();
            let table_runs =
                runs.map(|(block, tokens)| Run { block: block as u32, tokens: tokens as u32 });
            self.segments.push(Segment {
                rows: first_row..first_row + rows,
                table: table_runs.collect(),
                both_ways: layout.map_or_else(Vec::new, |layout| layout.spans(&positions)),
            });
            self.held.extend(table.blocks().cloned());
        }
        rows
    }

    /// The rows as the decoder takes them.
    pub fn rows(&self) -> Rows<'_> {
        Rows {
            ids: &self.ids,
            positions: &self.positions,
            slots: &self.slots,
            segments: &self.segments,
            places: self.is_placed.then_some(&*self.places),
            given: &[],
            read: None,
        }
    }

    /// The token of each row.
    pub(super) fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there is nothing to compute.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }
}
