//! A formula as a tree of the grammar's rules.
//!
//! First it is found out where each part that begins at a word can end; then the tree is read off from
//! the start, each time by the first way that can still reach the end of the formula. So nothing is undone, and no
//! formula takes longer than its length to the third power.

use std::collections::HashMap;

use super::{
    grammar::{GRAMMAR, Step},
    reader::Unread,
    token::{Token, tokens},
};

/// Formulas of more words, or that are nested deeper, are not read.
const MOST_TOKENS: usize = 240;
const DEEPEST: usize = 24;

/// A part of a formula.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Word(Token),
    Part(&'static str, Vec<Node>),
}

impl Node {
    /// The name of its rule, or the kind of the word.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Word(token) => token.kind,
            Self::Part(rule, _) => rule,
        }
    }

    pub(super) fn children(&self) -> &[Self] {
        match self {
            Self::Word(_) => &[],
            Self::Part(_, children) => children,
        }
    }

    /// The first child of this kind.
    pub(super) fn child(&self, kind: &str) -> Option<&Self> {
        self.children().iter().find(|child| child.kind() == kind)
    }

    /// All children of this kind.
    pub(super) fn all<'n>(&'n self, kind: &'n str) -> impl Iterator<Item = &'n Self> {
        self.children().iter().filter(move |child| child.kind() == kind)
    }

    /// Its words, without what stood between them.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Word(token) => token.text.clone(),
            Self::Part(_, children) => children.iter().map(Self::text).collect(),
        }
    }
}

/// A set of places between words.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Places([u64; 5]);

impl Places {
    fn of(place: usize) -> Self {
        let mut places = Self::default();
        places.insert(place);
        places
    }

    fn insert(&mut self, place: usize) {
        if let Some(word) = self.0.get_mut(place / 64) {
            *word |= 1 << (place % 64);
        }
    }

    fn join(&mut self, other: &Self) {
        for (word, more) in self.0.iter_mut().zip(other.0) {
            *word |= more;
        }
    }

    fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(other.0).any(|(left, right)| left & right != 0)
    }

    fn iter(self) -> impl Iterator<Item = usize> {
        let bits = |(word, bits): (usize, u64)| {
            (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| word * 64 + bit)
        };
        self.0.into_iter().enumerate().flat_map(bits)
    }
}

/// A formula that is being read.
struct Parser {
    tokens: Vec<Token>,
    /// From a state and a place: where the rule of the state can end.
    ends: HashMap<(usize, usize), Places>,
}

/// The tree of a formula, if it is one.
pub(super) fn parse(text: &str) -> Result<Node, Unread> {
    let tokens = tokens(text).ok_or(Unread::Refused)?;
    if tokens.len() > MOST_TOKENS || nesting(&tokens) > DEEPEST {
        return Err(Unread::Undecided);
    }
    let goal = Places::of(tokens.len());
    let mut parser = Parser { tokens, ends: HashMap::new() };
    let start = GRAMMAR.rules.first().map_or(0, |rule| rule.start);
    if !parser.ends(start, 0).meets(&goal) {
        return Err(Unread::Refused);
    }
    parser.derive(0, 0, &goal).map(|(tree, _)| tree).ok_or(Unread::Refused)
}

/// How deep brackets and signs in front of a value are nested at most.
fn nesting(tokens: &[Token]) -> usize {
    let (mut depth, mut deepest, mut signs) = (0_usize, 0, 0_usize);
    for token in tokens {
        match token.kind {
            "OPEN" | "BRACE" | "BRACKET" | "SET_BRACE" => depth += 1,
            "CLOSE" | "END_BRACE" | "END_BRACKET" | "END_SET_BRACE" => {
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
        let leads = matches!(token.kind, "ADD" | "SUB" | "FUNCTION" | "BAR");
        signs = if leads { signs + 1 } else { 0 };
        deepest = deepest.max(depth + signs);
    }
    deepest
}

impl Parser {
    fn is(&self, place: usize, kind: &str) -> bool {
        self.tokens.get(place).is_some_and(|token| token.kind == kind)
    }

    /// Where the rule of a state can end from a place.
    fn ends(&mut self, state: usize, place: usize) -> Places {
        if let Some(known) = self.ends.get(&(state, place)) {
            return *known;
        }
        let steps = GRAMMAR.states.get(state).map(Vec::as_slice).unwrap_or_default();
        // Only the end of a rule leads nowhere.
        let mut found = if steps.is_empty() { Places::of(place) } else { Places::default() };
        for &(step, to) in steps {
            for end in self.after(step, place).iter() {
                let ends = self.ends(to, end);
                found.join(&ends);
            }
        }
        self.ends.insert((state, place), found);
        found
    }

    /// The places that a step can lead to.
    fn after(&mut self, step: Step, place: usize) -> Places {
        match step {
            Step::Free => Places::of(place),
            Step::Word(kind) if self.is(place, kind) => Places::of(place + 1),
            Step::Word(_) => Places::default(),
            Step::Part(rule) => match GRAMMAR.rules.get(rule) {
                Some(rule) => self.ends(rule.start, place),
                None => Places::default(),
            },
        }
    }

    /// The tree of a rule from a place, up to the first of the goals that its first ways lead to.
    fn derive(&mut self, rule: usize, place: usize, goals: &Places) -> Option<(Node, usize)> {
        let rule = GRAMMAR.rules.get(rule)?;
        let (mut state, mut place, mut children) = (rule.start, place, Vec::new());
        while state != rule.stop {
            let mut way = None;
            for &(step, to) in GRAMMAR.states.get(state)? {
                let mut ends = Places::default();
                for end in self.after(step, place).iter() {
                    if self.ends(to, end).meets(goals) {
                        ends.insert(end);
                    }
                }
                if ends != Places::default() {
                    way = Some((step, to, ends));
                    break;
                }
            }
            let (step, to, ends) = way?;
            match step {
                Step::Free => {}
                Step::Word(_) => {
                    children.push(Node::Word(self.tokens.get(place)?.clone()));
                    place += 1;
                }
                Step::Part(rule) => {
                    let (child, end) = self.derive(rule, place, &ends)?;
                    children.push(child);
                    place = end;
                }
            }
            state = to;
        }
        Some((Node::Part(rule.name, children), place))
    }
}
