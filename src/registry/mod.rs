//! Parts that are chosen by name: one type for every list of them.
//!
//! A config says `type=BM25Retriever`, and something has to know what that is. Each room that offers
//! such parts has one [`Registry`]: a table with a line for each part, which holds our name, the names
//! of other programs, a few words on what it is, and what makes it. So a part is added in one line, and
//! messages, `surprisal list` and the lookup cannot disagree.
//!
//! A registry does not know what it lists, and nothing registers itself: the tables are constants.

mod pattern;

use serde::Serialize;

pub use self::pattern::Pattern;
use crate::config::{Component, ConfigError, nearest};

/// All parts of one kind, sorted by name. `T` is what a name stands for: mostly a constructor.
#[derive(Debug)]
pub struct Registry<T: 'static> {
    /// The word for one part in messages, such as `retriever`.
    pub kind: &'static str,
    /// A line for each part, sorted by name.
    pub registrations: &'static [Registration<T>],
}

/// One line of a registry.
#[derive(Clone, Copy, Debug)]
pub struct Registration<T> {
    /// Our name.
    pub name: &'static str,
    /// The names of other programs, OpenCompass's first. Where two of its parts share a name, the name with
    /// its module: `needlebench_v2.origin.NeedleBenchOriginEvaluator`.
    pub aliases: &'static [&'static str],
    /// What it is, in a few words.
    pub about: &'static str,
    /// What the name stands for.
    pub value: T,
}

/// What is said of a part to people and to other programs.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct RegistryLine {
    /// Our name.
    pub name: &'static str,
    /// The names of other programs.
    pub aliases: &'static [&'static str],
    /// What it is.
    pub about: &'static str,
}

impl<T> Registration<T> {
    /// A line.
    pub const fn new(
        name: &'static str,
        aliases: &'static [&'static str],
        about: &'static str,
        value: T,
    ) -> Self {
        Self { name, aliases, about, value }
    }

    /// Every name of the part, ours first.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }
}

impl<T> Registry<T> {
    /// The part of this name: ours, another program's, or a dotted path that ends in one of them. Where
    /// one name stands for two parts, a name with a dot says in which module, and is looked for first.
    pub fn find(&self, name: &str) -> Option<&'static Registration<T>> {
        let is_in_module = |one: &&str| {
            let before = name.strip_suffix(*one).filter(|_| one.contains('.'));
            before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
        };
        let mut registrations = self.registrations.iter();
        if let Some(found) = registrations.find(|one| one.names().any(|name| is_in_module(&name))) {
            return Some(found);
        }
        let last = name.rsplit('.').next().unwrap_or(name);
        self.registrations.iter().find(|registration| registration.names().any(|one| one == last))
    }

    /// What the type of a component stands for. The error for an unknown one names the name that is
    /// most like it or, where none is, all of ours.
    pub fn get(&self, component: &Component) -> Result<&'static T, ConfigError> {
        let wanted = &component.type_name;
        if let Some(registration) = self.find(&component.path) {
            return Ok(&registration.value);
        }
        let kind = self.kind;
        let error = ConfigError::at(&component.origin, format!("unknown {kind} '{wanted}'"));
        let all = self.registrations.iter().flat_map(Registration::names);
        Err(match nearest(wanted, all) {
            Some(near) => error.with_hint(format!("did you mean '{near}'?")),
            None => {
                error.with_hint(format!("known: {}", self.names().collect::<Vec<_>>().join(", ")))
            }
        })
    }

    /// Our names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<T> {
        self.registrations.iter().map(|registration| registration.name)
    }

    /// What is said of every part, sorted by name.
    pub fn lines(&self) -> Vec<RegistryLine> {
        let line = |registration: &'static Registration<T>| {
            let Registration { name, aliases, about, .. } = registration;
            RegistryLine { name, aliases, about }
        };
        self.registrations.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::config::Node;

    const COLOURS: Registry<u32> = Registry {
        kind: "colour",
        registrations: &[
            Registration::new("blue", &["BlueColour", "azure"], "the sky", 1),
            Registration::new("red", &[], "a rose", 2),
        ],
    };

    fn get(wanted: &str) -> Result<&'static u32, String> {
        let component = Component::parse(&Node::from_json(&json!({"type": wanted}))).unwrap();
        COLOURS.get(&component).map_err(|error| error.to_string())
    }

    #[test]
    fn a_part_is_found_by_every_name_and_by_the_end_of_a_path() {
        for name in ["blue", "BlueColour", "azure", "some.colours.BlueColour"] {
            assert_eq!(get(name), Ok(&1), "{name}");
            assert_eq!(COLOURS.find(name).unwrap().name, "blue");
        }
        assert!(COLOURS.find("Blue").is_none());
    }

    #[test]
    fn a_name_with_its_module_is_found_before_the_name_alone() {
        const TONES: Registry<u32> = Registry {
            kind: "tone",
            registrations: &[
                Registration::new("la", &["Tone"], "the first", 1),
                Registration::new("si", &["second.Tone"], "the one of the module `second`", 2),
            ],
        };
        for (name, value) in [
            ("Tone", 1),
            ("first.Tone", 1),
            ("second.Tone", 2),
            ("all.second.Tone", 2),
            ("notsecond.Tone", 1),
        ] {
            assert_eq!(TONES.find(name).unwrap().value, value, "{name}");
        }
    }

    #[test]
    fn an_unknown_name_is_compared_with_all_names_and_else_told_ours() {
        let error = get("BlueColuor").unwrap_err();
        assert!(error.ends_with("unknown colour 'BlueColuor' (did you mean 'BlueColour'?)"));
        let error = get("zzz").unwrap_err();
        assert!(error.ends_with("unknown colour 'zzz' (known: blue, red)"), "{error}");
    }
}
