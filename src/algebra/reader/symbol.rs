//! Letters, words and numbers.

use super::{Read, Reader, Unread};
use crate::algebra::{
    expression::{Constant, Expression, Symbol},
    number::Number,
    parse::Node,
    vocabulary::GREEK,
};

impl Reader {
    pub(super) fn named(self, name: String) -> Expression {
        Expression::Symbol(Symbol { name, is_real: self.is_real })
    }

    /// A name in lower case; a few names are numbers.
    fn lowered(self, text: &str) -> Expression {
        let text = text.trim();
        let unquoted = text.replace('"', "");
        let greek = GREEK
            .iter()
            .find(|&&(sign, name)| sign == unquoted || unquoted.strip_prefix('\\') == Some(name));
        let letter = greek.map_or(text, |&(_, name)| name);
        let letter = letter.strip_prefix('\\').unwrap_or(letter);
        let constant = |name: &str| match name {
            "pi" => Some(Constant::Pi),
            "gamma" | "Gamma" => Some(Constant::EulerGamma),
            _ => None,
        };
        let lower = if self.keeps_case { letter.to_owned() } else { letter.to_lowercase() };
        match constant(letter).or_else(|| constant(&lower)) {
            Some(constant) => Expression::Constant(constant),
            None => self.named(lower),
        }
    }

    /// A letter, command or word with what stands below it.
    fn letter(self, letter: &Node, below: Option<&Node>) -> Read {
        let word = letter.children().first().ok_or(Unread::Refused)?;
        let mut text = word.text();
        if text == "I" && word.kind() == "LETTER" {
            return Ok(Expression::Constant(Constant::I));
        }
        if word.kind() == "ACCENT" {
            text = accented(&text).ok_or(Unread::Refused)?;
        }
        let mut text = text.trim().to_owned();
        if let Some(below) = below {
            let inner: String = subscript(below);
            let has_braces = inner.chars().count() > 1;
            let parts = if has_braces { ["_{", &inner, "}"] } else { ["_", &inner, ""] };
            text.push_str(&parts.concat());
        }
        Ok(self.lowered(&text))
    }

    pub(super) fn symbol(self, symbol: &Node) -> Read {
        let letter = symbol.child("letter").ok_or(Unread::Refused)?;
        let value = self.letter(letter, symbol.child("below"))?;
        match symbol.child("above") {
            Some(above) => Ok(Expression::pow(value, self.raised(above)?)),
            None => Ok(value),
        }
    }

    /// One name, or several in brackets.
    pub(super) fn symbols(self, symbols: &Node) -> Read {
        let mut all: Vec<Expression> =
            symbols.all("symbol").map(|symbol| self.symbol(symbol)).collect::<Read<_>>()?;
        match (all.len() == 1).then(|| all.pop()).flatten() {
            Some(single) => Ok(single),
            None => Ok(Expression::Tuple(all)),
        }
    }

    pub(super) fn atom(self, atom: &Node) -> Read {
        let part = atom.children().first().ok_or(Unread::Refused)?;
        match part.kind() {
            "symbol" => self.symbol(part),
            "SYMBOL" if part.text().replace(r"\$", "").replace(r"\%", "") == r"\infty" => {
                Ok(Expression::Constant(Constant::Infinity))
            }
            // What stands below a number is not read.
            "number" => number(&part.child("NUMBER").ok_or(Unread::Refused)?.text()),
            "SCIENTIFIC" => number(&part.text()),
            "CAPITAL_E" => Ok(self.named("e".to_owned())),
            "DIFFERENTIAL" => Ok(self.named(format!("d{}", differential_name(&part.text())))),
            _ => Err(Unread::Refused),
        }
    }

    /// The symbol of a differential, if a sum is nothing else.
    pub(super) fn differential(self, sum: &Node) -> Option<Expression> {
        let mut node = sum;
        while let [only] = node.children() {
            node = only;
        }
        (node.kind() == "DIFFERENTIAL").then(|| self.named(differential_name(&node.text())))
    }
}

/// What a differential is of.
pub(super) fn differential_name(text: &str) -> String {
    let name = text.strip_prefix('d').unwrap_or(text).trim_start();
    name.strip_prefix('\\').unwrap_or(name).to_owned()
}

fn subscript(below: &Node) -> String {
    let inside = ["atom", "sum", "more"].into_iter().find_map(|kind| below.child(kind));
    inside.map(Node::text).unwrap_or_default().trim().to_owned()
}

/// The name of a symbol under an accent; a word that is only set in another font is a name itself.
fn accented(text: &str) -> Option<String> {
    let (command, held) = text.strip_prefix('\\')?.split_once('{')?;
    let held = held.strip_suffix('}')?.replace(' ', "");
    let accent = match command {
        "bar" | "overline" => "bar",
        "vec" | "overrightarrow" => "vec",
        "tilde" | "widetilde" => "tilde",
        other if other.contains("text") || other.contains("mbox") => {
            return Some(held.replace(['(', ')'], ""));
        }
        other if other.contains("math") => "math",
        other => other,
    };
    Some(format!("{accent}{{{held}}}"))
}

fn number(text: &str) -> Read {
    Number::parse(&text.replace('−', "-")).map(Expression::Number).ok_or(Unread::Undecided)
}
