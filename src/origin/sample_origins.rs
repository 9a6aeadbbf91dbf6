//! The origins of a sample's texts.

use super::{Ingredients, Origin, OriginStretch, PieceKind, TracedPiece, Tracer};
use crate::{
    dataset::Sample,
    infer::{Prepared, PreparedPrompt},
};

/// A row of more bytes, examples included, is not traced: that costs a multiple of building its prompts.
const MOST_TRACED_BYTES: usize = 1 << 20;

/// What is known of the texts of a sample, in their order: nothing of a text without stretches.
#[derive(Debug, Default)]
pub(crate) struct SampleOrigins {
    /// What the stretches number.
    pub(super) origins: Vec<Origin>,
    /// One list for each text that has a record of its own: the candidates, or a single text.
    pub(super) texts: Vec<Vec<OriginStretch>>,
}

impl SampleOrigins {
    /// Traces the prompts of a sample. Of a dialogue only the first is built from the template alone; what a rule
    /// has asked in other ways is not built from the row.
    pub(crate) fn of(ingredients: Ingredients<'_>, prepared: &Prepared) -> Self {
        let rows = std::iter::once(ingredients.sample).chain(ingredients.examples.iter().copied());
        let bytes: usize = rows.flat_map(Sample::iter).map(|(_, cell)| text_bytes(cell)).sum();
        if bytes > MOST_TRACED_BYTES {
            return Self::default();
        }
        let tracer = Tracer::new(ingredients);
        let mut found = Self::default();
        for prompt in prepared.own_prompts() {
            let pieces = if is_told_by_its_length(prompt) {
                tracer.trace(prompt, prepared.dropped_examples)
            } else {
                Vec::new()
            };
            let stretches = found.stretches(&pieces);
            found.texts.push(stretches);
        }
        found
    }

    /// Pieces without their texts; none if nothing is known of any.
    fn stretches(&mut self, pieces: &[TracedPiece]) -> Vec<OriginStretch> {
        let mut stretches: Vec<OriginStretch> = Vec::new();
        if pieces.iter().all(|piece| piece.kind == PieceKind::Unknown) {
            return stretches;
        }
        for piece in pieces {
            let bytes = piece.text.len();
            let origin = self.number(piece);
            match stretches.last_mut() {
                Some(last) if last.origin == origin && last.bytes > 0 && bytes > 0 => {
                    last.bytes += bytes;
                }
                _ => stretches.push(OriginStretch { bytes, origin }),
            }
        }
        stretches
    }

    /// The number of a piece's origin. A sample has few, and a piece's is mostly one of the last.
    fn number(&mut self, piece: &TracedPiece) -> usize {
        self.origins.iter().rposition(|known| known.is_of(piece)).unwrap_or_else(|| {
            self.origins.push(piece.into());
            self.origins.len() - 1
        })
    }
}

/// Whether what is kept of a text, which may be less than what is read, cannot be taken for it: what is kept later
/// tells by its length alone whether it is what was traced.
fn is_told_by_its_length(prompt: &PreparedPrompt) -> bool {
    prompt.text == prompt.origin_prompt || prompt.text.len() != prompt.origin_prompt.len()
}

fn text_bytes(cell: &serde_json::Value) -> usize {
    match cell {
        serde_json::Value::String(text) => text.len(),
        serde_json::Value::Array(items) => items.iter().map(text_bytes).sum(),
        serde_json::Value::Object(fields) => fields.values().map(text_bytes).sum(),
        _ => 8,
    }
}
