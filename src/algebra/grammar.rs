//! The grammar of formulas, as `latex2sympy2_extended` 1.11.0 reads them.
//!
//! It is ambiguous: `(1,2)` is an interval, a tuple and a set in brackets. What stands first in a rule is
//! taken, if the rest of the formula can be read then. A rule is written once, as text, and becomes a network of
//! states that the parser walks through.

use std::{collections::HashMap, sync::LazyLock};

/// Rules, in capitals the kinds of words. What is tried first stands first.
const RULES: &str = r"
formula: assigned | list | set_relation
row: sum (NEXT_COLUMN sum)*
rows: row (NEXT_ROW row)* NEXT_ROW?
matrix: BEGIN_MATRIX rows END_MATRIX | BEGIN_ARRAY rows END_ARRAY
determinant: BEGIN_DETERMINANT rows END_DETERMINANT
compares: IN | ASSIGN | EQUAL | APPROXIMATE | LESS | LESS_OR_EQUAL | GREATER | GREATER_OR_EQUAL | UNEQUAL
relation: sum (compares sum)*
equality: sum (EQUAL | ASSIGN) sum
sum: product ((ADD | SUB) product)*
product: unary ((MUL | DIV | MOD) unary)*
plain_product: plain_unary ((MUL | DIV | MOD) plain_unary)*
unary: (ADD | SUB) unary | postfix+
plain_unary: (ADD | SUB) plain_unary | postfix plain_postfix*
postfix: power mark*
plain_postfix: plain_power mark*
mark: FACTORIAL | evaluated | TRANSPOSE | DEGREE
evaluated: BAR (at_above | at_below | at_above at_below)
at_below: BELOW BRACE (sum | equality) END_BRACE
at_above: ABOVE BRACE (sum | equality) END_BRACE
exponent: ABOVE (atom | BRACE sum END_BRACE) below?
power: operand exponent*
plain_power: plain_operand exponent*
operand: group | formatted | norm | absolute | dot | floor | ceiling | function | atom | fraction | binomial | matrix | determinant
plain_operand: group | formatted | norm | absolute | dot | floor | ceiling | atom | fraction | binomial | matrix | determinant
group: OPEN sum CLOSE | LGROUP sum RGROUP | BRACE sum END_BRACE | BRACKET sum END_BRACKET | SET_BRACE sum END_SET_BRACE | LBRACE sum RBRACE | LBRACK sum RBRACK
formatted: PHANTOM BRACE sum END_BRACE | BOXED BRACE sum END_BRACE
norm: NORM sum NORM
absolute: BAR sum BAR | LVERT sum RVERT | VERT sum VERT
dot: LANGLE sum RANGLE
floor: LFLOOR sum RFLOOR | LLCORNER sum LRCORNER
ceiling: LCEIL sum RCEIL | ULCORNER sum URCORNER
letter: LETTER | GREEK | OTHER | ACCENT
name: letter below?
symbol: letter (above below | below above | below | above)?
symbols: OPEN symbol (COMMA symbol)* CLOSE | symbol
number: NUMBER below?
atom: symbol | SYMBOL | number | PERCENT | SCIENTIFIC | CAPITAL_E | DIFFERENTIAL
fraction: FRACTION BRACE sum END_BRACE BRACE sum END_BRACE
binomial: BRACE sum CHOOSE sum END_BRACE | BINOMIAL BRACE sum END_BRACE BRACE sum END_BRACE
named: FUNCTION | OPERATOR BRACE NAME END_BRACE
named_of_several: FUNCTION_OF_SEVERAL | OPERATOR BRACE NAME_OF_SEVERAL END_BRACE
function: call | call_of_several | undefined | integral | root | big | limit | exponential
call: named (below? above? | above? below?) (OPEN sum CLOSE | plain_product)
call_of_several: named_of_several (below? above? | above? below?) (OPEN several CLOSE | plain_product)
several: sum | sum COMMA several
undefined: name above? (OPEN arguments CLOSE | BRACKET arguments END_BRACKET | BRACE OPEN arguments CLOSE END_BRACE | BRACE BRACKET arguments END_BRACKET END_BRACE)
arguments: atom | sum COMMA | sum COMMA more
more: sum COMMA more | sum
integral: INTEGRAL (below above | above below | BELOW BRACE END_BRACE ABOVE BRACE END_BRACE | ABOVE BRACE END_BRACE BELOW BRACE END_BRACE)? (sum? DIFFERENTIAL | fraction | sum)
root: ROOT (BRACKET sum END_BRACKET)? BRACE sum END_BRACE
big: (SUM | PRODUCT) (below_equality above | above below_equality) product
below_equality: BELOW BRACE equality END_BRACE
limit: LIMIT BELOW BRACE (LETTER | GREEK | OTHER) APPROACHES sum (ABOVE BRACE (ADD | SUB) END_BRACE)? END_BRACE product
exponential: EXP above?
below: BELOW (atom | BRACE (sum | more) END_BRACE)
above: ABOVE (atom | BRACE sum END_BRACE)
set_relation: set_side ((CONTAINED | CONTAINS) set_side)*
set_side: symbols (IN | NOT_IN | ASSIGN) set_relation | difference
difference: union (WITHOUT union)*
union: intersection (UNION intersection)*
intersection: set_group (INTERSECTION set_group)*
set_group: OPEN difference CLOSE | set_atom
set_atom: interval | named_set | tuple | set
named_set: NAMED_SET | BRACE END_BRACE
interval: (BRACKET | OPEN | OPEN_VISUAL | LBRACK | LGROUP) sum COMMA sum (END_BRACKET | CLOSE | CLOSE_VISUAL | RBRACK | RGROUP)
tuple: OPEN list CLOSE | OPEN_VISUAL list CLOSE_VISUAL | BRACKET list END_BRACKET
set: BRACE list END_BRACE | SET_BRACE list END_SET_BRACE | BOXED BRACE list END_BRACE
assigned: symbols (IN | ASSIGN) plain_list
list: commas (SEMICOLON commas)*
plain_list: plain_commas (SEMICOLON plain_commas)*
commas: element (COMMA element)*
plain_commas: plain_element (COMMA plain_element)*
plain_element: plus_minus | set_atom | sum
element: plus_minus | set_atom | relation
plus_minus: sum PLUS_MINUS sum | PLUS_MINUS sum
";

/// What leads from one state to another.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// Nothing.
    Free,
    /// A word of this kind.
    Word(&'static str),
    /// A part that follows this rule.
    Part(usize),
}

/// A rule: where it begins and ends among the states.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) name: &'static str,
    pub(super) start: usize,
    pub(super) stop: usize,
}

/// All rules, and from each state the steps in the order in which they are tried.
#[derive(Debug)]
pub(super) struct Grammar {
    pub(super) rules: Vec<Rule>,
    pub(super) states: Vec<Vec<(Step, usize)>>,
}

/// The grammar. Its first rule is the one of a whole formula.
pub(super) static GRAMMAR: LazyLock<Grammar> = LazyLock::new(Grammar::compile);

/// What is being made a network.
struct Compiler<'r> {
    names: &'r HashMap<&'static str, usize>,
    states: Vec<Vec<(Step, usize)>>,
    words: std::iter::Peekable<std::vec::IntoIter<&'static str>>,
}

impl Grammar {
    fn compile() -> Self {
        let lines: Vec<(&str, &str)> =
            RULES.lines().filter_map(|line| line.split_once(": ")).collect();
        let names = lines.iter().enumerate().map(|(index, &(name, _))| (name, index)).collect();
        let (mut rules, mut states) = (Vec::new(), Vec::new());
        for (name, body) in lines {
            let words = words(body).into_iter().peekable();
            let mut compiler = Compiler { names: &names, states, words };
            let (start, stop) = compiler.choice();
            rules.push(Rule { name, start, stop });
            states = compiler.states;
        }
        Self { rules, states }
    }
}

/// Names and signs of a rule's body.
fn words(body: &'static str) -> Vec<&'static str> {
    let is_sign = |letter: char| "()|?*+".contains(letter);
    let mut words = Vec::new();
    for word in body.split_whitespace() {
        let mut rest = word;
        while let Some(first) = rest.chars().next() {
            let end = if is_sign(first) { 1 } else { rest.find(is_sign).unwrap_or(rest.len()) };
            let (one, after) = rest.split_at(end);
            words.push(one);
            rest = after;
        }
    }
    words
}

impl Compiler<'_> {
    fn state(&mut self) -> usize {
        self.states.push(Vec::new());
        self.states.len() - 1
    }

    fn step(&mut self, from: usize, step: Step, to: usize) {
        if let Some(steps) = self.states.get_mut(from) {
            steps.push((step, to));
        }
    }

    fn choice(&mut self) -> (usize, usize) {
        let (start, stop) = (self.state(), self.state());
        loop {
            let (first, last) = self.sequence();
            self.step(start, Step::Free, first);
            self.step(last, Step::Free, stop);
            if self.words.next_if_eq(&"|").is_none() {
                return (start, stop);
            }
        }
    }

    fn sequence(&mut self) -> (usize, usize) {
        let start = self.state();
        let mut last = start;
        while let Some(word) = self.words.next_if(|word| !matches!(*word, "|" | ")")) {
            let (first, end) = self.item(word);
            let (first, end) = self.repeated(first, end);
            self.step(last, Step::Free, first);
            last = end;
        }
        (start, last)
    }

    fn item(&mut self, word: &'static str) -> (usize, usize) {
        if word == "(" {
            let inner = self.choice();
            self.words.next();
            return inner;
        }
        let (start, stop) = (self.state(), self.state());
        let step = self.names.get(word).map_or(Step::Word(word), |&rule| Step::Part(rule));
        self.step(start, step, stop);
        (start, stop)
    }

    /// As much as can be taken is taken.
    fn repeated(&mut self, first: usize, end: usize) -> (usize, usize) {
        let Some(sign) = self.words.next_if(|word| matches!(*word, "?" | "*" | "+")) else {
            return (first, end);
        };
        let after = self.state();
        if sign != "?" {
            self.step(end, Step::Free, first);
        }
        self.step(end, Step::Free, after);
        if sign == "+" {
            return (first, after);
        }
        let start = self.state();
        self.step(start, Step::Free, first);
        self.step(start, Step::Free, after);
        (start, after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_rule_or_a_kind_of_word() {
        for steps in &GRAMMAR.states {
            for (step, _) in steps {
                if let Step::Word(kind) = step {
                    assert!(
                        kind.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_'),
                        "{kind}"
                    );
                }
            }
        }
    }
}
