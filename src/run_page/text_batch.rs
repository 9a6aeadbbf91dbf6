//! The texts of some samples on their way to the page: spelled, with their marks, and held against each other for what
//! they share.

use std::ops::Range;

use super::{
    answered::AnsweredTokens,
    pictured_text::{PicturedText, pictured},
    pictures::Pictures,
    spelling::{ReadText, Speller},
    text_tree::{MarkedToken, TextEnd, TextTree},
    token_marks::MarkLists,
};
use crate::report::page::{
    Mark, Piece, PieceKind, Pieces, Sample, SampleText, SegmentToken, Segments,
};

/// Texts of so many samples are held against each other for what they share.
pub(crate) const BATCH_SAMPLES: usize = 2048;

/// Samples of a model, all but the places of their texts in the page.
#[derive(Default)]
pub(crate) struct TextBatch {
    tree: TextTree,
    lists: MarkLists,
    ends: Vec<TextEnd>,
    samples: Vec<(Sample, Vec<PlacedText>)>,
}

/// Where a text ends, as a place among the ends of a batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndPlace(usize);

/// A text and where it and its normalizing text end.
pub(crate) type PlacedText = (SampleText, EndPlace, Option<EndPlace>);

/// A text that was spelled.
pub(crate) struct SpelledText {
    /// Where it ends.
    pub(crate) end: EndPlace,
    /// Tokens of which it is not known what part of a stretch they spell.
    pub(crate) unplaced: usize,
    /// Before which of its tokens an image stands, in order.
    images_before: Vec<usize>,
}

impl SpelledText {
    /// The places in the page of a range of its tokens: each image before them is one more.
    pub(crate) fn places(&self, tokens: Range<usize>) -> Range<usize> {
        let place = |token: usize| {
            token + self.images_before.iter().filter(|before| **before <= token).count()
        };
        match tokens.end.checked_sub(1).filter(|last| *last >= tokens.start) {
            Some(last) => place(tokens.start)..place(last) + 1,
            None => tokens,
        }
    }
}

impl TextBatch {
    /// Adds a text of which `marks` say where it comes from; nothing if one of its tokens is not known.
    pub(crate) fn text(
        &mut self,
        speller: &mut Speller,
        own: &AnsweredTokens<'_>,
        marks: &[Mark],
        (pieces, pictures): (&mut Pieces, &mut Pictures),
    ) -> Option<SpelledText> {
        if !own.stretches.is_empty() {
            let token = |(text, nll): &(&str, Option<f32>)| {
                let bytes = text.as_bytes().to_vec();
                let piece = Piece { kind: PieceKind::Stretch, id: 0, bytes };
                SegmentToken { piece: pieces.number(piece), nll: *nll }
            };
            let tokens: Vec<SegmentToken> = own.stretches.iter().map(token).collect();
            let end = self.tokens(tokens, marks, 0, pieces);
            return Some(SpelledText { end, unplaced: 0, images_before: Vec::new() });
        }
        if let ReadText::Pictured(text, images) = own.read
            && let Some(read) =
                pictured((text, images), own.ids, marks, speller, (pieces, pictures))
        {
            return self.pictured(read, speller, own, pieces);
        }
        let read = speller.spell(own.ids, own.read, pieces)?;
        let generated = speller.spell(own.generated, ReadText::Generated, pieces)?;
        let nll = |place: usize| own.nll(place);
        let all: Vec<u32> = read.pieces.iter().chain(&generated.pieces).copied().collect();
        // Marks of another text say nothing of this one.
        let is_marked = own.read.bytes() == Some(marks.iter().map(|mark| mark.bytes).sum());
        let (marks, from) = match read.from {
            Some(from) if is_marked => (marks, from),
            _ => (&[][..], 0),
        };
        let tokens = all.into_iter().enumerate();
        let tokens = tokens.map(|(place, piece)| SegmentToken { piece, nll: nll(place) });
        let end = self.tokens(tokens.collect(), marks, from, pieces);
        Some(SpelledText { end, unplaced: read.unplaced, images_before: Vec::new() })
    }

    /// Adds a text that names images.
    fn pictured(
        &mut self,
        read: PicturedText,
        speller: &mut Speller,
        own: &AnsweredTokens<'_>,
        pieces: &mut Pieces,
    ) -> Option<SpelledText> {
        let PicturedText { pieces: read, images_before, marks, unplaced } = read;
        let generated = speller.spell(own.generated, ReadText::Generated, pieces)?;
        let read = read.into_iter().map(|(piece, token)| SegmentToken {
            piece,
            nll: token.and_then(|token| own.nll(token)),
        });
        let generated = generated.pieces.into_iter();
        let generated = generated.map(|piece| SegmentToken { piece, nll: None });
        let end = self.tokens(read.chain(generated).collect(), &marks, 0, pieces);
        Some(SpelledText { end, unplaced, images_before })
    }

    /// Adds a text whose tokens are placed; the first stands `from` bytes into what `marks` are of.
    pub(crate) fn tokens(
        &mut self,
        tokens: Vec<SegmentToken>,
        marks: &[Mark],
        from: usize,
        pieces: &Pieces,
    ) -> EndPlace {
        let bytes_of =
            |token: &SegmentToken| pieces.piece(token.piece).map_or(0, Piece::text_bytes);
        let lengths: Vec<usize> = tokens.iter().map(bytes_of).collect();
        let marks = self.lists.of_tokens(&lengths, marks, from);
        let marked = tokens.into_iter().zip(marks);
        let marked: Vec<MarkedToken> =
            marked.map(|(token, marks)| MarkedToken { token, marks }).collect();
        self.ends.push(self.tree.add(&marked));
        EndPlace(self.ends.len() - 1)
    }

    /// Adds a sample with its texts.
    pub(crate) fn sample(&mut self, sample: Sample, texts: Vec<PlacedText>) {
        self.samples.push((sample, texts));
    }

    /// How many samples there are.
    pub(crate) fn len(&self) -> usize {
        self.samples.len()
    }

    /// Writes all texts; gives the samples with their places.
    pub(crate) fn write(
        self,
        model: usize,
        pieces: &Pieces,
        segments: &mut Segments,
    ) -> impl Iterator<Item = Sample> {
        let bytes_of = |piece: u32| pieces.piece(piece).map_or(0, Piece::text_bytes);
        let places = self.tree.write(&self.ends, model, &self.lists, &bytes_of, segments);
        self.samples.into_iter().map(move |(sample, texts)| {
            let placed = texts.into_iter().map(|(about, end, other)| SampleText {
                segment: places[end.0],
                normalizer: other.map(|other| places[other.0]),
                ..about
            });
            Sample { texts: placed.collect(), ..sample }
        })
    }
}
