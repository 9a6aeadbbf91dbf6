//! `WordNet`: which English words have a meaning in common, from the files of the user's own copy.
//!
//! The files are those of WordNet 3.0 and its like, `index.noun`, `data.noun`, `noun.exc` and the same of
//! verbs, adjectives and adverbs; NLTK's `corpora/wordnet` is such a folder, `wordnet.zip` holds one. They are read
//! whole, once, from where a config says or where NLTK looks. It
//! knows no metric, and nothing of a meaning but the words that share it.

mod base_form;
mod files;
mod place;
mod source;

use std::{
    collections::{BTreeSet, HashMap},
    io,
    path::{Path, PathBuf},
};

use self::{base_form::base_forms, source::Source};

/// The parts of speech, each with files of its own.
const PARTS: [Part; 4] = [Part::Noun, Part::Verb, Part::Adjective, Part::Adverb];

/// A part of speech.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Noun,
    Verb,
    Adjective,
    Adverb,
}

/// The words of a language by what they mean.
pub(crate) struct WordNet {
    parts: Vec<Words>,
}

/// The words of a part of speech.
struct Words {
    part: Part,
    /// Where the meanings of a word stand.
    meanings: HashMap<String, Vec<u64>>,
    /// The words of the meaning that stands there.
    synonyms: HashMap<u64, Vec<String>>,
    /// Base forms that no rule gives.
    exceptions: HashMap<String, Vec<String>>,
}

/// Why there are no words.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WordNetError {
    /// A file cannot be read.
    #[error("{}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A line is no line of such a file.
    #[error("{}, line {line}: it is no line of a WordNet file", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
    },
}

impl WordNet {
    /// Reads the copy that NLTK would read; nothing if there is none.
    pub(crate) fn find() -> Result<Option<Self>, WordNetError> {
        place::find().map(|path| Self::open(&path)).transpose()
    }

    /// Reads the files of a folder, or of NLTK's archive of it.
    pub(crate) fn open(path: &Path) -> Result<Self, WordNetError> {
        let mut source = Source::open(path)?;
        let parts = PARTS.into_iter().map(|part| files::read(&mut source, part));
        Ok(Self { parts: parts.collect::<Result<_, _>>()? })
    }

    /// All single words that share a meaning with the word or with a base form of it, in their own case.
    pub(crate) fn synonyms(&self, word: &str) -> BTreeSet<&str> {
        let word = word.to_lowercase();
        let mut found = BTreeSet::new();
        for words in &self.parts {
            for form in base_forms(words, &word) {
                let places = words.meanings.get(&form).into_iter().flatten();
                let synonyms = places.filter_map(|place| words.synonyms.get(place)).flatten();
                found.extend(synonyms.map(String::as_str).filter(|own| !own.contains('_')));
            }
        }
        found
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::{fs, io::Write as _};

    use super::*;

    /// A language of a few words in a folder of its own, in the form of WordNet's files.
    pub(crate) fn small_language() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let data = [
            (
                "noun",
                "  1 head\n00000010 03 n 02 ferry 0 ferryboat 0 000 | a boat\n\
                 00000060 03 n 03 kiln 0 oven 1 drying_room 0 000 | a furnace\n\
                 00000120 15 n 02 Paris 0 Lutetia 0 000 | a city\n",
                "  1 head\nferry n 1 0 1 0 00000010\nferryboat n 1 0 1 0 00000010\n\
                 kiln n 1 1 @ 1 0 00000060\noven n 1 1 @ 1 0 00000060\n\
                 paris n 1 0 1 0 00000120\nlutetia n 1 0 1 0 00000120\n",
                "kilnen kiln\n",
            ),
            (
                "verb",
                "00000010 30 v 02 cross 0 traverse 0 000 01 + 02 00 | go over\n",
                "cross v 1 0 1 0 00000010\ntraverse v 1 0 1 0 00000010\n",
                "",
            ),
            (
                "adj",
                "00000010 00 s 02 old 0 aged(a) 0 000 | not young\n",
                "old a 1 0 1 0 00000010\naged a 1 0 1 0 00000010\n",
                "",
            ),
            ("adv", "", "", ""),
        ];
        for (part, meanings, index, exceptions) in data {
            let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
            write(&format!("data.{part}"), meanings);
            write(&format!("index.{part}"), index);
            write(&format!("{part}.exc"), exceptions);
        }
        folder
    }

    #[test]
    fn words_with_a_meaning_in_common_are_found() {
        let folder = small_language();
        let words = WordNet::open(folder.path()).unwrap();
        let synonyms = |word: &str| words.synonyms(word).into_iter().collect::<Vec<_>>();
        assert_eq!(synonyms("Ferries"), ["ferry", "ferryboat"]);
        assert_eq!(synonyms("kilnen"), ["kiln", "oven"]);
        assert_eq!(synonyms("crossing"), ["cross", "traverse"]);
        assert_eq!(synonyms("older"), ["aged", "old"]);
        assert_eq!(synonyms("paris"), ["Lutetia", "Paris"]);
        assert!(synonyms("walnut").is_empty());
    }

    #[test]
    fn an_archive_is_read_like_its_folder() {
        let folder = small_language();
        let path = folder.path().join("wordnet.zip");
        let mut archive = zip::ZipWriter::new(fs::File::create(&path).unwrap());
        let options = zip::write::SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Stored);
        for part in ["noun", "verb", "adj", "adv"] {
            for name in [format!("index.{part}"), format!("data.{part}"), format!("{part}.exc")] {
                let bytes = fs::read(folder.path().join(&name)).unwrap();
                archive.start_file(format!("wordnet/{name}"), options).unwrap();
                archive.write_all(&bytes).unwrap();
            }
        }
        archive.finish().unwrap();
        let words = WordNet::open(&path).unwrap();
        assert!(words.synonyms("ferries").contains("ferryboat"));
    }

    #[test]
    fn a_file_that_is_missing_or_odd_is_named() {
        let folder = small_language();
        fs::write(folder.path().join("index.verb"), "cross v one\n").unwrap();
        let said = |folder: &Path| WordNet::open(folder).err().unwrap().to_string();
        assert!(
            said(folder.path()).ends_with("index.verb, line 1: it is no line of a WordNet file")
        );
        fs::remove_file(folder.path().join("data.noun")).unwrap();
        assert!(said(folder.path()).contains("data.noun"));
    }
}
