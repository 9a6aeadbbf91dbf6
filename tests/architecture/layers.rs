//! The order of rooms that ARCHITECTURE.md gives.

use std::collections::{BTreeMap, BTreeSet};

/// How the block begins in which the order stands.
const BLOCK: &str = "```rooms\n";

/// For each room its layer, counted from the top.
#[derive(Debug)]
pub(crate) struct Layers(BTreeMap<String, usize>);

impl Layers {
    /// Reads the block of the document: a layer to a line, from top to bottom.
    pub(crate) fn read(document: &str) -> Result<Self, String> {
        let (_, block) = document.split_once(BLOCK).ok_or("there is no block ```rooms")?;
        let (block, _) = block.split_once("```").ok_or("the block ```rooms does not end")?;
        let mut layers = BTreeMap::new();
        for (layer, line) in block.lines().enumerate() {
            for room in line.split_whitespace() {
                if layers.insert(room.to_owned(), layer).is_some() {
                    return Err(format!("{room} stands in the order twice"));
                }
            }
        }
        Ok(Self(layers))
    }

    /// Every room.
    pub(crate) fn rooms(&self) -> BTreeSet<String> {
        self.0.keys().cloned().collect()
    }

    /// What is wrong with an arrow between two rooms, if anything is.
    pub(crate) fn problem(&self, from: &str, to: &str) -> Option<String> {
        let layer = |room: &str| self.0.get(room).ok_or_else(|| format!("{room} is no room"));
        match (layer(from), layer(to)) {
            (Err(problem), _) | (_, Err(problem)) => Some(problem),
            _ if from == to => None,
            (Ok(above), Ok(below)) if above < below => None,
            (Ok(above), Ok(below)) if above == below => Some(format!("{to} stands beside {from}")),
            _ => Some(format!("{to} stands above {from}")),
        }
    }
}

#[test]
fn an_arrow_goes_down_or_is_wrong() {
    let layers = Layers::read("Text.\n\n```rooms\ncli\nrun  view\n\nops\n```\nMore.").unwrap();
    assert_eq!(Vec::from_iter(layers.rooms()), ["cli", "ops", "run", "view"]);
    for (from, to) in [("cli", "ops"), ("run", "ops"), ("view", "view")] {
        assert_eq!(layers.problem(from, to), None, "{from} → {to}");
    }
    for (from, to) in [("ops", "run"), ("run", "view"), ("run", "cli"), ("run", "shed")] {
        assert!(layers.problem(from, to).is_some(), "{from} → {to}");
    }
    assert!(Layers::read("```rooms\na\na\n```").is_err());
    assert!(Layers::read("no block").is_err());
}
