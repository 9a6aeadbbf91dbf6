//! A chain of comparisons in a template's source, made a call.
//!
//! What the call does is `comparison`'s; here is only where its values begin and end.

use std::ops::Range;

use super::{expression::Expressions, tokens::TokenKind};

/// Symbols that compare two values.
const COMPARING: [&str; 6] = ["==", "!=", "<", ">", "<=", ">="];

/// An operator that compares two values.
struct Operator {
    name: &'static str,
    /// Its tokens.
    place: Range<usize>,
}

impl Expressions<'_, '_> {
    /// Whether the token before another one is a word.
    pub(super) fn is_word_before(&self, start: usize, index: usize, word: &str) -> bool {
        index
            .checked_sub(1)
            .filter(|&before| before >= start)
            .and_then(|before| self.tokens.get(before))
            .is_some_and(|before| before.is_word(word))
    }

    /// Whether a `not` is the first half of `not in`.
    pub(super) fn is_not_in(&self, start: usize, index: usize) -> bool {
        self.ends_operand(start, index)
            && self.tokens.get(index + 1).is_some_and(|next| next.is_word("in"))
    }

    /// The comparing operator that begins at a token.
    fn comparing(&self, start: usize, index: usize) -> Option<Operator> {
        let operator = |name, tokens| Some(Operator { name, place: index..index + tokens });
        let token = self.tokens.get(index)?;
        match (token.kind, token.text) {
            (TokenKind::Symbol, symbol) => {
                let name = *COMPARING.iter().find(|name| **name == symbol)?;
                operator(name, 1)
            }
            // `x is in y` and `x is not in y` are tests, which bind like filters.
            (TokenKind::Word, "in") => {
                let is_second = self.is_word_before(start, index, "not");
                let is_test = self.is_word_before(start, index, "is");
                if is_second || is_test { None } else { operator("in", 1) }
            }
            (TokenKind::Word, "not") => {
                let is_test = self.is_word_before(start, index, "is");
                if !is_test && self.is_not_in(start, index) { operator("not in", 2) } else { None }
            }
            _ => None,
        }
    }

    /// `a < b <= c` as `__compared(a, '<', b, '<=', c)`; the engine compares two values for equality
    /// by itself.
    pub(super) fn comparison(&self, range: Range<usize>) -> String {
        let operators: Vec<Operator> = self
            .outer(range.clone())
            .filter_map(|index| self.comparing(range.start, index))
            .collect();
        let ends = operators.iter().map(|operator| operator.place.start).chain([range.end]);
        let starts = [range.start].into_iter().chain(operators.iter().map(|own| own.place.end));
        let operands: Vec<Range<usize>> = starts.zip(ends).map(|(from, to)| from..to).collect();
        let is_call = match operators.as_slice() {
            [] => false,
            [only] => !matches!(only.name, "==" | "!="),
            _ => true,
        };
        if !is_call || operands.iter().any(Range::is_empty) {
            let separates = |index| operators.iter().any(|own| own.place.contains(&index));
            return self.join(range, separates, Self::sum);
        }
        let mut out = String::from("__compared(");
        for (index, operand) in operands.into_iter().enumerate() {
            if let Some(Operator { name, place }) =
                index.checked_sub(1).and_then(|before| operators.get(before))
            {
                for gap in place.clone() {
                    out.push_str(self.gap(gap));
                }
                out.extend([",'", name, "',"]);
                out.push_str(self.gap(place.end));
            }
            out.push_str(&self.sum(operand));
        }
        out.push(')');
        out
    }
}
