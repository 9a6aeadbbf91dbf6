//! Texts as chains of stretches of tokens: what texts share is in the file once.

use std::ops::Range;

use serde::Serialize;

use super::{
    coded_number::{LARGE, Split, part, thousandths, varint},
    group::Model,
    pieces::PieceOrder,
};

/// A block is full when it holds so many tokens.
const BLOCK_TOKENS: usize = 16_384;

/// A token where it stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SegmentToken {
    /// The number of its piece among its model's.
    pub piece: u32,
    /// Its surprisal in nats, if it has one.
    pub nll: Option<f32>,
}

/// A stretch of a segment's text, and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mark {
    /// Its bytes; none for a column that is hidden here.
    pub bytes: usize,
    /// Its style: 0 if it is not known, or one more than its place among the page's.
    pub style: usize,
}

/// Where a stretch of a prompt comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Style {
    /// `begin`, `ice`, `round` or `end`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<&'static str>,
    /// Which example, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<usize>,
    /// Whose words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// `template`, `field`, `mask` or `markup`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    /// The column whose value it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
}

/// The segments of a page, parents before children.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Segments {
    shapes: Vec<Shape>,
    tokens: Vec<SegmentToken>,
    marks: Vec<Mark>,
}

/// A segment, with the places of its tokens and marks among all.
#[derive(Clone, Debug, PartialEq)]
struct Shape {
    parent: Option<usize>,
    model: usize,
    tokens: Range<usize>,
    marks: Range<usize>,
}

impl Segments {
    /// Adds a stretch of tokens of a model, which follows `parent`; gives its number.
    pub fn push(
        &mut self,
        parent: Option<usize>,
        model: usize,
        tokens: impl IntoIterator<Item = SegmentToken>,
        marks: impl IntoIterator<Item = Mark>,
    ) -> usize {
        let (tokens_before, marks_before) = (self.tokens.len(), self.marks.len());
        self.tokens.extend(tokens);
        self.marks.extend(marks);
        self.shapes.push(Shape {
            parent,
            model,
            tokens: tokens_before..self.tokens.len(),
            marks: marks_before..self.marks.len(),
        });
        self.shapes.len() - 1
    }

    /// How many tokens there are, what is shared counted once.
    pub fn tokens(&self) -> usize {
        self.tokens.len()
    }

    /// The tokens of the text that ends in a segment.
    pub fn text(&self, last: usize) -> Vec<SegmentToken> {
        let parent_of = |number: &usize| self.shapes.get(*number).and_then(|shape| shape.parent);
        let mut chain: Vec<usize> = std::iter::successors(Some(last), parent_of).collect();
        chain.reverse();
        let own = chain.iter().filter_map(|number| self.shapes.get(*number));
        own.flat_map(|shape| &self.tokens[shape.tokens.clone()]).copied().collect()
    }

    /// How often each piece of each model occurs.
    fn uses(&self, models: usize) -> Vec<Vec<usize>> {
        let mut uses: Vec<Vec<usize>> = vec![Vec::new(); models];
        for shape in &self.shapes {
            let own = &mut uses[shape.model];
            for token in &self.tokens[shape.tokens.clone()] {
                let place = token.piece as usize;
                if own.len() <= place {
                    own.resize(place + 1, 0);
                }
                own[place] += 1;
            }
        }
        uses
    }

    /// How the file numbers the pieces of each model.
    pub(super) fn piece_orders(&self, models: &[Model]) -> Vec<PieceOrder> {
        let uses = self.uses(models.len());
        models.iter().zip(&uses).map(|(model, uses)| model.pieces.order(uses)).collect()
    }

    /// The blocks of the file, each with the number of its first segment.
    pub(super) fn blocks(&self, orders: &[PieceOrder]) -> Vec<(usize, Vec<u8>)> {
        let mut blocks = Vec::new();
        let mut block = Block::default();
        for (number, shape) in self.shapes.iter().enumerate() {
            if block.segments == 0 {
                block.first = number;
            }
            let tokens = &self.tokens[shape.tokens.clone()];
            let back = shape.parent.map_or(0, |parent| number - parent);
            block.push(back, tokens, &self.marks[shape.marks.clone()], &orders[shape.model]);
            if block.tokens >= BLOCK_TOKENS {
                blocks.push((block.first, std::mem::take(&mut block).bytes()));
            }
        }
        if block.segments > 0 {
            blocks.push((block.first, block.bytes()));
        }
        blocks
    }
}

/// A block under way.
#[derive(Default)]
struct Block {
    first: usize,
    segments: usize,
    tokens: usize,
    shapes: Vec<u8>,
    pieces: Split,
    surprisals: Split,
    marks: Vec<u8>,
    large: Vec<u8>,
}

impl Block {
    /// Adds a segment whose parent is so many back.
    fn push(&mut self, back: usize, tokens: &[SegmentToken], marks: &[Mark], order: &PieceOrder) {
        self.segments += 1;
        self.tokens += tokens.len();
        for count in [back, tokens.len(), marks.len()] {
            varint(count, &mut self.shapes);
        }
        for token in tokens {
            self.pieces.push(order.number(token.piece));
            let coded = thousandths(token.nll);
            self.surprisals.push(coded.into());
            if let (LARGE, Some(nats)) = (coded, token.nll) {
                self.large.extend(nats.to_le_bytes());
            }
        }
        for mark in marks {
            varint(mark.bytes, &mut self.marks);
            varint(mark.style, &mut self.marks);
        }
    }

    fn bytes(self) -> Vec<u8> {
        let Self { shapes, pieces, surprisals, marks, large, .. } = self;
        let mut bytes = Vec::new();
        for own in [
            &shapes,
            &pieces.heads,
            &pieces.tails,
            &surprisals.heads,
            &surprisals.tails,
            &marks,
            &large,
        ] {
            part(own, &mut bytes);
        }
        bytes
    }
}
