//! The lists of English words of the Python package `wonderwords`, from the user's own copy.

use super::super::{
    arguments::Arguments,
    borrowed::module_file,
    file::{Encoding, malformed, text},
    row::Flaw,
};
use crate::{dataset::DatasetError, python::is_blank};

/// The words of a list, in its order.
pub(super) fn words(arguments: &Arguments<'_>, list: &str) -> Result<Vec<String>, DatasetError> {
    let path = module_file(arguments, &format!("wonderwords/assets/{list}list.txt"))?;
    if !path.is_file() {
        let what = format!(
            "its words come from the Python package wonderwords, which is not beside opencompass: {} is missing; `pip install wonderwords==3.0.1` into that folder",
            path.display()
        );
        return Err(malformed(&format!("data set {}", arguments.abbr), Flaw(what)));
    }
    let text = text(&path, Encoding::Strict)?;
    Ok(text.lines().map(|line| line.trim_end_matches(is_blank).to_owned()).collect())
}

/// All different texts `adjective-noun`, sorted, without the six million texts: where no adjective goes on as another one
/// with a hyphen does, its texts are neighbours in the order of the nouns.
pub(super) struct Pairs {
    nouns: Vec<String>,
    groups: Vec<Group>,
    count: usize,
}

/// Texts that are neighbours.
enum Group {
    /// Those of one adjective.
    One(String),
    /// Those of adjectives that begin alike.
    Mixed(Vec<String>),
}

impl Pairs {
    pub(super) fn new(mut adjectives: Vec<String>, mut nouns: Vec<String>) -> Self {
        for words in [&mut adjectives, &mut nouns] {
            words.sort_unstable();
            words.dedup();
        }
        let mut starts: Vec<String> = adjectives.iter().map(|word| format!("{word}-")).collect();
        starts.sort_unstable();
        let mut groups = Vec::new();
        let mut rest = &starts[..];
        while let Some(first) = rest.first() {
            let alike = rest.iter().take_while(|start| start.starts_with(&**first)).count();
            let (own, behind) = rest.split_at(alike);
            groups.push(if alike == 1 {
                Group::One(first.clone())
            } else {
                let pairs = own
                    .iter()
                    .flat_map(|start| nouns.iter().map(move |noun| format!("{start}{noun}")));
                let mut pairs: Vec<String> = pairs.collect();
                pairs.sort_unstable();
                pairs.dedup();
                Group::Mixed(pairs)
            });
            rest = behind;
        }
        let size = |group: &Group| match group {
            Group::One(_) => nouns.len(),
            Group::Mixed(pairs) => pairs.len(),
        };
        let count = groups.iter().map(size).sum();
        Self { nouns, groups, count }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The one at a place.
    pub(super) fn at(&self, mut place: usize) -> String {
        for group in &self.groups {
            match group {
                Group::One(start) => match self.nouns.get(place) {
                    Some(noun) => return format!("{start}{noun}"),
                    None => place -= self.nouns.len(),
                },
                Group::Mixed(pairs) => match pairs.get(place) {
                    Some(pair) => return pair.clone(),
                    None => place -= pairs.len(),
                },
            }
        }
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_those_of_a_sorted_set() {
        let adjectives = ["well", "well-made", "wee", "a b", "wee", "well-"].map(str::to_owned);
        let nouns = ["zoo", "made-zoo", "ant", "-x"].map(str::to_owned);
        let mut all: Vec<String> = adjectives
            .iter()
            .flat_map(|adjective| nouns.iter().map(move |noun| format!("{adjective}-{noun}")))
            .collect();
        all.sort();
        all.dedup();
        let pairs = Pairs::new(adjectives.to_vec(), nouns.to_vec());
        assert_eq!(pairs.count(), all.len());
        let found: Vec<String> = (0..all.len()).map(|place| pairs.at(place)).collect();
        assert_eq!(found, all);
    }
}
