//! Quants in words of 32 bits, a column of words for each output.
//!
//! A span is 32 neighbouring inputs, and with `b` bits a quant it fills `b` words. A word holds whole
//! quants one above the other, the first lowest, so that one mask takes a quant out. Bits that
//! are left at the top of a span's words hold its last quants, the lowest bits in the first word.

/// Inputs whose quants share words.
pub(super) const SPAN: usize = 32;
/// Bits of a word.
const WORD: usize = 32;
/// Most pieces of a quant.
pub(super) const MOST_PIECES: usize = 3;

/// Some bits of a quant, and where they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Which word of the span.
    pub(super) word: usize,
    /// The lowest bit in the word.
    pub(super) from: usize,
    /// The lowest bit in the quant.
    pub(super) to: usize,
    /// How many bits; no quant has a piece of none.
    pub(super) bits: usize,
}

impl Piece {
    /// No bits.
    const NONE: Self = Self { word: 0, from: 0, to: 0, bits: 0 };

    /// The bits of a quant that are in this piece of its `word`.
    pub(super) const fn take(self, word: u32) -> u32 {
        (word >> self.from & mask(self.bits)) << self.to
    }

    /// The bits of a `quant` as they stand in the word.
    pub(super) const fn place(self, quant: u32) -> u32 {
        (quant >> self.to & mask(self.bits)) << self.from
    }
}

/// Whole quants of a word.
pub(super) const fn fields(bits: usize) -> usize {
    WORD / bits
}

/// Where the quant at `place` of a span is, with so many `bits`; unused pieces have none.
pub(super) const fn pieces(bits: usize, place: usize) -> [Piece; MOST_PIECES] {
    let fields = fields(bits);
    let mut pieces = [Piece::NONE; MOST_PIECES];
    if place < bits * fields {
        pieces[0] = Piece { word: place / fields, from: place % fields * bits, to: 0, bits };
        return pieces;
    }
    // What words have left, as one row of bits.
    let left = WORD - fields * bits;
    let (mut at, mut to, mut piece) = ((place - bits * fields) * bits, 0, 0);
    while to < bits {
        let (word, above) = (at / left, at % left);
        let count = if left - above < bits - to { left - above } else { bits - to };
        pieces[piece] = Piece { word, from: fields * bits + above, to, bits: count };
        (at, to, piece) = (at + count, to + count, piece + 1);
    }
    pieces
}

/// Where the quant at `place` of a span is in words whose bytes are multiplied: four inputs at a time, the
/// even ones of every eight and then the odd ones.
///
/// Lower bits, four or two of each quant, come first: a word has those of 8 or 16 inputs. The bits above
/// follow, two or one of each quant, a word for 16 or 32 inputs. Eight bits fill a byte.
pub(super) const fn octet_pieces(bits: usize, place: usize) -> [Piece; MOST_PIECES] {
    let (low, high) = planes(bits);
    let low_words = SPAN * low / WORD;
    let low = octet_piece(low, place);
    let mut pieces = [low, Piece::NONE, Piece::NONE];
    if high > 0 {
        let above = octet_piece(high, place);
        pieces[1] = Piece { word: low_words + above.word, to: low.bits, ..above };
    }
    pieces
}

/// Where the input at `place` of a span stands among the bytes that meet [`octet_pieces`].
pub(super) const fn octet_place(place: usize) -> usize {
    place / 8 * 8 + place % 2 * 4 + place % 8 / 2
}

/// Bits of a quant that stand together, and above them those that stand in words of their own.
pub(super) const fn planes(bits: usize) -> (usize, usize) {
    match bits {
        3 => (2, 1),
        5 => (4, 1),
        6 => (4, 2),
        whole => (whole, 0),
    }
}

const fn octet_piece(bits: usize, place: usize) -> Piece {
    // How many inputs share a byte, and which of them this is.
    let shared = 8 / bits;
    let (octet, byte, odd) = (place / 8, place % 8 / 2, place % 2);
    let rank = 2 * octet + odd;
    Piece { word: rank / shared, from: 8 * byte + rank % shared * bits, to: 0, bits }
}

/// The lowest `bits` bits.
pub(super) const fn mask(bits: usize) -> u32 {
    ((1_u64 << bits) - 1) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_of_every_quant_has_a_place_of_its_own() {
        each_has_a_place_of_its_own(pieces);
        each_has_a_place_of_its_own(octet_pieces);
    }

    fn each_has_a_place_of_its_own(pieces: fn(usize, usize) -> [Piece; MOST_PIECES]) {
        for bits in [2, 3, 4, 5, 6, 8] {
            let quant = |place: usize| (place * 2_654_435_761) as u32 >> 7 & mask(bits);
            let (mut words, mut taken) = (vec![0; bits], vec![0; bits]);
            for place in 0..SPAN {
                let mut count = 0;
                for piece in pieces(bits, place) {
                    assert_eq!(piece.place(u32::MAX) & taken[piece.word], 0, "{bits} {place}");
                    taken[piece.word] |= piece.place(u32::MAX);
                    words[piece.word] |= piece.place(quant(place));
                    count += piece.bits;
                }
                assert_eq!(count, bits);
            }
            assert_eq!(taken, vec![u32::MAX; bits]);
            for place in 0..SPAN {
                let found = pieces(bits, place).map(|piece| piece.take(words[piece.word]));
                assert_eq!(found.into_iter().fold(0, |quant, part| quant | part), quant(place));
            }
        }
    }
}
