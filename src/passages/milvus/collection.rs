//! The collection that holds a corpus: its name, and by what it is known again.

use std::{fmt, str::FromStr};

use sha2::{Digest as _, Sha256};

use super::{MilvusError, ServerIndex, messages::CollectionDescription};

/// The property of a collection that holds its [`CollectionKey`]. Not every server keeps descriptions.
pub(super) const KEY_PROPERTY: &str = "surprisal.passages";

/// Longest name that Milvus takes, in bytes.
const MOST_BYTES: usize = 255;

/// Letters of a hash in a name and in a key: 128 bits.
const HASH_LETTERS: usize = 32;

/// A name that Milvus takes: letters, digits and `_`, no digit first, at most 255 bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectionName(String);

impl CollectionName {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for CollectionName {
    type Err = MilvusError;

    fn from_str(name: &str) -> Result<Self, MilvusError> {
        let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let begins = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        if begins && name.len() <= MOST_BYTES && name.chars().all(fits) {
            Ok(Self(name.to_owned()))
        } else {
            Err(MilvusError::Name { name: name.to_owned() })
        }
    }
}

impl fmt::Display for CollectionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What decides the vectors of a collection: the encoder with its prompt, and the passages' texts in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CollectionKey {
    encoder: String,
    corpus: String,
}

/// How a collection differs from the one that is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Difference {
    /// It says nothing that this program writes.
    Foreign,
    /// Other texts, or the same in another order.
    Corpus,
    /// Another encoder, another prompt, or the same on a processor that rounds in another way.
    Encoder,
}

impl CollectionKey {
    /// The key of these texts for an encoder that is known by `encoder`.
    pub(super) fn of(encoder: &str, texts: &[String]) -> Self {
        let texts = texts.iter().map(String::as_bytes);
        Self { encoder: hash([encoder.as_bytes()]), corpus: hash(texts) }
    }

    /// The name of a collection that holds these vectors under this index.
    pub(super) fn name(&self, index: &ServerIndex) -> CollectionName {
        let facts = [&self.encoder, &self.corpus, &index.built()];
        CollectionName(format!("surprisal_{}", hash(facts.map(String::as_bytes))))
    }

    /// How a collection that is there differs.
    pub(super) fn difference(&self, found: &CollectionDescription) -> Option<Difference> {
        let property = found.properties.iter().find(|pair| pair.key == KEY_PROPERTY);
        let described = found.schema.as_ref().map_or("", |schema| schema.description.as_str());
        match Self::read(property.map_or(described, |pair| pair.value.as_str())) {
            None => Some(Difference::Foreign),
            Some(other) if other.encoder != self.encoder => Some(Difference::Encoder),
            Some(other) if other.corpus != self.corpus => Some(Difference::Corpus),
            Some(_) => None,
        }
    }

    fn read(text: &str) -> Option<Self> {
        let (encoder, corpus) = text.strip_prefix("encoder ")?.split_once(" corpus ")?;
        Some(Self { encoder: encoder.to_owned(), corpus: corpus.to_owned() })
    }
}

impl fmt::Display for CollectionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "encoder {} corpus {}", self.encoder, self.corpus)
    }
}

/// The beginning of a SHA-256 of these facts in this order.
fn hash<'a>(facts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut digest = Sha256::new();
    for fact in facts {
        // The length in front keeps ["ab", "c"] and ["a", "bc"] apart.
        digest.update((fact.len() as u64).to_le_bytes());
        digest.update(fact);
    }
    let digits = digest.finalize().into_iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let letters = digits.filter_map(|digit| char::from_digit(digit.into(), 16));
    letters.take(HASH_LETTERS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passages::milvus::messages::{CollectionSchema, KeyValue};

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.to_owned()).collect()
    }

    #[test]
    fn a_collection_is_known_again_by_its_property_or_its_description() {
        let key = CollectionKey::of("e", &texts(&["ab", "c"]));
        let described = |text: &str| CollectionDescription {
            schema: Some(CollectionSchema { description: text.to_owned(), ..Default::default() }),
            ..Default::default()
        };
        let property = |text: &str| CollectionDescription {
            properties: vec![KeyValue::new(KEY_PROPERTY, text)],
            ..Default::default()
        };
        for found in [described(&key.to_string()), property(&key.to_string())] {
            assert_eq!(key.difference(&found), None);
            let others = CollectionKey::of("e", &texts(&["a", "bc"]));
            assert_eq!(others.difference(&found), Some(Difference::Corpus));
            let others = CollectionKey::of("f", &texts(&["ab", "c"]));
            assert_eq!(others.difference(&found), Some(Difference::Encoder));
        }
        for text in ["", "books of the library", "encoder corpus"] {
            assert_eq!(key.difference(&described(text)), Some(Difference::Foreign));
        }
    }

    #[test]
    fn a_name_depends_on_all_that_is_built() {
        let key = CollectionKey::of("e", &texts(&["a"]));
        let name = |index: &str| key.name(&index.parse().unwrap());
        assert_eq!(name("FLAT"), key.name(&ServerIndex::default()));
        assert_ne!(name("FLAT"), name("HNSW,M=16"));
        assert_ne!(name("HNSW,M=8"), name("HNSW,M=16"));
        assert_eq!(name("FLAT").as_str().parse::<CollectionName>().unwrap(), name("FLAT"));
    }

    #[test]
    fn names_that_milvus_refuses_are_refused() {
        for name in ["", "1a", "a-b", "ä", "a b", &"a".repeat(256)] {
            let error = name.parse::<CollectionName>().unwrap_err().to_string();
            assert!(error.contains("letters, digits and _"), "{error}");
        }
        assert!("_a1".parse::<CollectionName>().is_ok());
    }
}
