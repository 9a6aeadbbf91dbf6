//! What the tokens of a model spell.

use indexmap::IndexSet;

use super::coded_number::{part, varint};

/// What a piece is to the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PieceKind {
    /// Part of it, byte by byte; a part of a character is a part of a character.
    Text,
    /// Added by the tokenizer; its bytes are its name.
    Added,
    /// Part of it whose tokens are not known.
    Stretch,
    /// An image: its id is the number of its picture, and its bytes are [`ImageTokens`].
    Image,
}

/// How many tokens an image takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageTokens {
    /// Those that are rows of it; the others stand behind it as pieces of their own.
    pub rows: usize,
    /// All of them.
    pub all: usize,
}

/// A token and what it spells where it stands: one token may spell several things, such as a word with and
/// without its space.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Piece {
    /// What it is to the text.
    pub kind: PieceKind,
    /// Its id in the vocabulary.
    pub id: u32,
    /// What it spells.
    pub bytes: Vec<u8>,
}

impl Piece {
    /// How much of the text it is.
    pub fn text_bytes(&self) -> usize {
        match self.kind {
            PieceKind::Added | PieceKind::Image => 0,
            PieceKind::Text | PieceKind::Stretch => self.bytes.len(),
        }
    }

    /// An image.
    pub fn image(picture: u32, tokens: ImageTokens) -> Self {
        let mut bytes = Vec::new();
        varint(tokens.rows, &mut bytes);
        varint(tokens.all, &mut bytes);
        Self { kind: PieceKind::Image, id: picture, bytes }
    }
}

/// The pieces of a model, numbered as they come.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pieces {
    found: IndexSet<Piece>,
}

impl Pieces {
    /// The number of a piece.
    pub fn number(&mut self, piece: Piece) -> u32 {
        self.found.insert_full(piece).0 as u32
    }

    /// A piece by its number.
    pub fn piece(&self, number: u32) -> Option<&Piece> {
        self.found.get_index(number as usize)
    }

    /// How the file numbers them: common ones first, which takes fewer bytes. `uses` says how often each occurs.
    pub(super) fn order(&self, uses: &[usize]) -> PieceOrder {
        let of = |place: usize| uses.get(place).copied().unwrap_or(0);
        let mut order: Vec<usize> = (0..self.found.len()).collect();
        order.sort_by(|&left, &right| {
            of(right).cmp(&of(left)).then_with(|| self.found[left].cmp(&self.found[right]))
        });
        let mut numbers = vec![0; order.len()];
        for (&place, number) in order.iter().zip(0..) {
            numbers[place] = number;
        }
        PieceOrder { order, numbers }
    }

    /// The block of a file.
    pub(super) fn block(&self, order: &PieceOrder) -> Vec<u8> {
        let (mut ids, mut lengths, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
        let mut kinds = Vec::with_capacity(self.found.len());
        for &place in &order.order {
            let piece = &self.found[place];
            varint(piece.id as usize, &mut ids);
            kinds.push(piece.kind as u8);
            varint(piece.bytes.len(), &mut lengths);
            bytes.extend(&piece.bytes);
        }
        let mut block = Vec::new();
        for own in [ids, kinds, lengths, bytes] {
            part(&own, &mut block);
        }
        block
    }
}

/// The order of pieces in a file.
#[derive(Debug)]
pub(super) struct PieceOrder {
    /// Their places in [`Pieces`], in the order of the file.
    order: Vec<usize>,
    /// Their numbers in the file, in the order of [`Pieces`].
    numbers: Vec<u32>,
}

impl PieceOrder {
    /// The number in the file of a piece.
    pub(super) fn number(&self, piece: u32) -> u32 {
        self.numbers.get(piece as usize).copied().unwrap_or_default()
    }
}
