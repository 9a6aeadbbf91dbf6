//! `option_number`: the place of an option's letter, for golds that are numbers.

use serde::Deserialize;
use serde_json::Value;

use super::{PostprocessError, Postprocessor};
use crate::{
    config::{Component, ConfigError},
    dataset::Sample,
};

/// `option_number(options='ABCD', first=0)`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OptionNumber {
    options: String,
    #[serde(default)]
    first: usize,
}

impl OptionNumber {
    /// Reads `options`, the letters in their order, and `first`, the number of the first (0).
    pub(super) fn build(component: &Component) -> Result<Box<dyn Postprocessor>, ConfigError> {
        Ok(Box::new(component.read::<Self>()?))
    }

    fn numbers(&self) -> impl Iterator<Item = (char, String)> {
        self.options.chars().zip(self.first..).map(|(letter, number)| (letter, number.to_string()))
    }
}

impl Postprocessor for OptionNumber {
    /// The number; the empty text for what is none of the letters, so that it counts as wrong.
    fn process(&self, text: &str, _sample: &Sample) -> Result<Value, PostprocessError> {
        let mut letters = text.trim().chars();
        let only = letters.next().filter(|_| letters.next().is_none());
        let found = self.numbers().find(|(letter, _)| Some(*letter) == only);
        Ok(found.map_or_else(String::new, |(_, number)| number).into())
    }

    fn gives(&self, answer: &str) -> Option<bool> {
        Some(self.numbers().any(|(_, number)| number == answer))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::config::Node;

    #[test]
    fn a_letter_becomes_its_place_and_anything_else_no_answer() {
        let config = json!({"type": "option_number", "options": "ABCD", "first": 1});
        let rule =
            OptionNumber::build(&Component::parse(&Node::from_json(&config)).unwrap()).unwrap();
        for (text, expected) in [("A", "1"), (" D", "4"), ("E", ""), ("", ""), ("AB", "")] {
            assert_eq!(rule.process(text, &Sample::default()).unwrap(), expected, "{text}");
        }
        assert_eq!(rule.gives("0"), Some(false));
        assert_eq!(rule.gives("4"), Some(true));
    }
}
