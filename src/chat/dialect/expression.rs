//! Expressions, with the operators that the engine understands differently made calls.
//!
//! `+`, `*` and `~` become `__add`, `__mul` and `__cat`, comparisons `__compared`, a slice with a step
//! becomes `__slice`, and `.items` and its like become `__member`: those differ from Python's, or can
//! make text without end, and operators cannot be replaced in the engine. Everything else stays as it is written, white space included, so that line
//! numbers stay right.

use std::ops::Range;

use super::{
    dict_member::DICT_METHODS,
    tokens::{Token, TokenKind},
};
use crate::chat::limits::NESTING;

/// A tag's inside while it is written again.
pub(super) struct Expressions<'t, 's> {
    text: &'s str,
    pub(super) tokens: &'t [Token<'s>],
    /// For each opening bracket the index of the closing one.
    partner: Vec<usize>,
}

impl<'t, 's> Expressions<'t, 's> {
    /// Prepares the tokens of `text`; nothing where brackets do not match or nest too deeply, which
    /// the engine then complains about.
    pub(super) fn new(text: &'s str, tokens: &'t [Token<'s>]) -> Option<Self> {
        let mut partner = vec![0; tokens.len()];
        let mut open = Vec::new();
        for (index, token) in tokens.iter().enumerate() {
            match token.bracket() {
                1 => open.push(index),
                -1 => *partner.get_mut(open.pop()?)? = index,
                _ => {}
            }
            if open.len() > NESTING {
                return None;
            }
        }
        open.is_empty().then_some(Self { text, tokens, partner })
    }

    /// The tokens of a range, written again; they may be several expressions with commas and keywords
    /// between them.
    pub(super) fn write(&self, range: Range<usize>) -> String {
        self.join(range.clone(), |index| self.separates(range.start, index), Self::comparison)
    }

    /// The first token of a range that is outside of brackets and satisfies a condition.
    pub(super) fn find(
        &self,
        range: Range<usize>,
        wanted: impl Fn(&Token) -> bool,
    ) -> Option<usize> {
        self.outer(range).find(|&index| self.tokens.get(index).is_some_and(&wanted))
    }

    /// The text from the first to the last token of a range, as it is written.
    pub(super) fn source(&self, range: Range<usize>) -> &'s str {
        let tokens = self.tokens.get(range).unwrap_or_default();
        let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { return "" };
        self.text.get(first.span.start..last.span.end).unwrap_or_default()
    }

    /// The white space in front of a token.
    pub(super) fn gap(&self, index: usize) -> &'s str {
        let start = index
            .checked_sub(1)
            .and_then(|before| self.tokens.get(before))
            .map_or(0, |before| before.span.end);
        let end = self.tokens.get(index).map_or(self.text.len(), |token| token.span.start);
        self.text.get(start..end).unwrap_or_default()
    }

    /// Indices of a range that are outside of brackets, closing brackets left out.
    pub(super) fn outer(&self, range: Range<usize>) -> impl Iterator<Item = usize> {
        let mut next = range.start;
        std::iter::from_fn(move || {
            let index = next;
            (index < range.end).then(|| {
                next = self.after(index);
                index
            })
        })
    }

    /// The index after a token, or after the whole bracket that it opens.
    fn after(&self, index: usize) -> usize {
        match self.tokens.get(index).map(Token::bracket) {
            Some(1) => self.partner.get(index).map_or(index, |&close| close.max(index)) + 1,
            _ => index + 1,
        }
    }

    /// Writes the parts between separators by `part`, and separators as they are.
    pub(super) fn join(
        &self,
        range: Range<usize>,
        separates: impl Fn(usize) -> bool,
        part: impl Fn(&Self, Range<usize>) -> String,
    ) -> String {
        let mut out = String::new();
        let mut start = range.start;
        for index in self.outer(range.clone()).chain([range.end]) {
            if index < range.end && !separates(index) {
                continue;
            }
            if start < index {
                self.write_gap(&mut out, range.start, start);
                out.push_str(&part(self, start..index));
            }
            if let Some(separator) = self.tokens.get(index)
                && index < range.end
            {
                self.write_gap(&mut out, range.start, index);
                out.push_str(separator.text);
            }
            start = index + 1;
        }
        out
    }

    /// White space inside of a range; what stands before it belongs to the caller.
    fn write_gap(&self, out: &mut String, start: usize, index: usize) {
        if index > start {
            out.push_str(self.gap(index));
        }
    }

    /// Whether a token stands between expressions, or between the two sides of an operator that binds
    /// less than a comparison.
    fn separates(&self, start: usize, index: usize) -> bool {
        let Some(token) = self.tokens.get(index) else { return false };
        match token.kind {
            // `x is not …` is a test, `x not in y` a comparison.
            TokenKind::Word => match token.text {
                "not" => !(self.is_word_before(start, index, "is") || self.is_not_in(start, index)),
                word => matches!(word, "and" | "or" | "if" | "else" | "recursive"),
            },
            TokenKind::Symbol => match token.text {
                // Arguments are unpacked by `f(*list)`.
                "*" | "**" => !self.ends_operand(start, index),
                symbol => matches!(symbol, "," | ":" | "="),
            },
            TokenKind::Literal => false,
        }
    }

    /// Whether a token can end an operand, so that a minus after it subtracts and a bracket after it
    /// is a call or a subscript.
    pub(super) fn ends_operand(&self, start: usize, index: usize) -> bool {
        index.checked_sub(1).filter(|&before| before >= start).is_some_and(|before| {
            self.tokens
                .get(before)
                .is_some_and(|token| token.kind != TokenKind::Symbol || token.bracket() < 0)
        })
    }

    /// `a + b - c + d` as `__add(__add(a, b) - c, d)`: both bind from the left.
    pub(super) fn sum(&self, range: Range<usize>) -> String {
        self.folded(range, &["+", "-"], "__add", Self::concatenation)
    }

    /// `a * b / c` as `__mul(a, b) / c`.
    fn product(&self, range: Range<usize>) -> String {
        self.folded(range, &["*", "/", "//", "%"], "__mul", Self::operands)
    }

    /// A chain of operators of one precedence, the first of them made a call.
    fn folded(
        &self,
        range: Range<usize>,
        operators: &[&str],
        call: &str,
        part: impl Fn(&Self, Range<usize>) -> String,
    ) -> String {
        let operates = |index: usize| {
            let symbol = self.tokens.get(index).filter(|token| token.kind == TokenKind::Symbol)?;
            let symbol = operators.iter().find(|operator| **operator == symbol.text)?;
            self.ends_operand(range.start, index).then_some((index, *symbol))
        };
        let places: Vec<(usize, &str)> = self.outer(range.clone()).filter_map(operates).collect();
        let ends = places.iter().map(|(index, _)| *index).skip(1).chain([range.end]);
        let first = places.first().map_or(range.end, |(index, _)| *index);
        let mut chain = part(self, range.start..first);
        let (mut calls, mut calling) = (0, false);
        for (&(place, operator), end) in places.iter().zip(ends) {
            let first_operator = operators.first() == Some(&operator);
            if first_operator && calling {
                // The call before takes one more argument.
                chain.pop();
            } else if first_operator {
                calls += 1;
            }
            chain.push_str(self.gap(place));
            chain.push_str(if first_operator { "," } else { operator });
            chain.push_str(self.gap(place + 1));
            chain.push_str(&part(self, place + 1..end));
            chain.push_str(if first_operator { ")" } else { "" });
            calling = first_operator;
        }
        format!("{call}(").repeat(calls) + &chain
    }

    /// `a ~ b ~ c` as `__cat(a, b, c)`.
    fn concatenation(&self, range: Range<usize>) -> String {
        let tildes: Vec<usize> = self
            .outer(range.clone())
            .filter(|&index| self.tokens.get(index).is_some_and(|token| token.is_symbol("~")))
            .collect();
        if tildes.is_empty() {
            return self.product(range);
        }
        let mut out = String::from("__cat(");
        let mut start = range.start;
        for end in tildes.into_iter().chain([range.end]) {
            if start > range.start {
                out.push_str(self.gap(start - 1));
                out.push(',');
                out.push_str(self.gap(start));
            }
            out.push_str(&self.product(start..end));
            start = end + 1;
        }
        out.push(')');
        out
    }

    /// Operands with what stands between them, the insides of their brackets written again.
    fn operands(&self, range: Range<usize>) -> String {
        let mut out = String::new();
        let mut operand = 0;
        // Each call goes around all that stands before it; the engine refuses more than this.
        let mut wrappings = 0;
        for index in self.outer(range.clone()) {
            self.write_gap(&mut out, range.start, index);
            let Some(token) = self.tokens.get(index) else { break };
            let continues = self.ends_operand(range.start, index);
            let after_dot = index > range.start
                && self.tokens.get(index - 1).is_some_and(|before| before.is_symbol("."));
            if token.bracket() != 1 {
                if after_dot && DICT_METHODS.contains(&token.text) && wrappings < NESTING {
                    wrappings += 1;
                    let object = out.split_off(operand);
                    let object = object.trim_end().trim_end_matches('.');
                    out = format!("{out}__member({object}, '{}')", token.text);
                    continue;
                }
                if token.kind != TokenKind::Symbol && !after_dot {
                    operand = out.len();
                }
                out.push_str(token.text);
                continue;
            }
            if !continues {
                operand = out.len();
            }
            let close = self.after(index) - 1;
            if continues
                && token.text == "["
                && wrappings < NESTING
                && let Some(slice) = self.stepped(index + 1..close)
            {
                wrappings += 1;
                let sliced = out.split_off(operand);
                out = format!("{out}__slice({sliced}, {slice})");
                continue;
            }
            out.push_str(token.text);
            if close > index {
                out.push_str(self.gap(index + 1));
                if index + 1 < close {
                    out.push_str(&self.write(index + 1..close));
                    out.push_str(self.gap(close));
                }
                out.push_str(self.source(close..close + 1));
            }
        }
        out
    }

    /// The three values of a slice with a step, `none` where they are left out.
    fn stepped(&self, range: Range<usize>) -> Option<String> {
        let colons: Vec<usize> = self
            .outer(range.clone())
            .filter(|&index| self.tokens.get(index).is_some_and(|token| token.is_symbol(":")))
            .collect();
        let &[first, second] = colons.as_slice() else { return None };
        let value = |range: Range<usize>| {
            if range.is_empty() { "none".to_owned() } else { self.write(range) }
        };
        let values =
            [value(range.start..first), value(first + 1..second), value(second + 1..range.end)];
        Some(values.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::{super::tokens, *};

    fn written(text: &str) -> String {
        let closed = format!("{text}}}}}");
        let (tokens, _) = tokens::split(&closed, "}}").unwrap();
        Expressions::new(text, &tokens).unwrap().write(0..tokens.len())
    }

    #[test]
    fn operators_become_calls_with_their_precedence() {
        let cases = [
            ("a + b", "__add(a , b)"),
            ("a + b ~ c.d - e + f", "__add(__add(a , __cat(b , c.d)) - e , f)"),
            ("a + b + c", "__add(a , b , c)"),
            ("x is not in y ~ z", "__cat(x is not in y , z)"),
            ("not a + b in c + d", "not __compared(__add(a , b) ,'in', __add(c , d))"),
            ("a == b + c", "a == __add(b , c)"),
            ("a <= b\n< c[d > e]", "__compared(a ,'<=', b\n,'<', c[__compared(d ,'>', e)])"),
            ("f(x=a not in b) is not in c", "f(x=__compared(a  ,'not in', b)) is not in c"),
            ("a in", "a in"),
            ("a if b + 1 else -c + d", "a if __add(b , 1) else __add(-c , d)"),
            ("f(a + b, c=d~e)[g + 1]", "f(__add(a , b), c=__cat(d,e))[__add(g , 1)]"),
            ("'-' * n + x|f(1)", "__add(__mul('-' , n) , x|f(1))"),
            ("a * b * -c / d ** 2 * e", "__mul(__mul(a , b , -c) / d ** 2 , e)"),
            ("{'a': b + 1e-5}", "{'a': __add(b , 1e-5)}"),
            ("f(*a + b, **c)", "f(*__add(a , b), **c)"),
        ];
        for (text, expected) in cases {
            assert_eq!(written(text), expected, "{text}");
        }
    }

    #[test]
    fn slices_with_a_step_and_members_of_dicts_become_calls() {
        let cases = [
            ("m[::-1]", "__slice(m, none, none, -1)"),
            ("a ~ (b.c(1)[1:x + 1:2]).d", "__cat(a , (__slice(b.c(1), 1, __add(x , 1), 2)).d)"),
            ("m[1:]", "m[1:]"),
            ("a + b.items()[0].x", "__add(a , __member(b, 'items')()[0].x)"),
            ("[1, 2][::-1][0]", "__slice([1, 2], none, none, -1)[0]"),
        ];
        for (text, expected) in cases {
            assert_eq!(written(text), expected, "{text}");
        }
    }
}
