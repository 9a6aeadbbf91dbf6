//! What is searched: documents, cut into passages.

use std::{
    collections::HashMap,
    ops::Range,
    path::{Path, PathBuf},
};

use indexmap::IndexMap;

use super::{Cutting, PassageError, TableColumns, document::Document, folder, table};
use crate::dataset::is_table;

/// Words of a passage of a text file, unless it is said how many.
const USUAL_WORDS: usize = 200;

/// What stands between the headings above a passage.
const BELOW: &str = " > ";

/// How a corpus is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CorpusOptions {
    /// Which columns of a table hold what.
    pub columns: TableColumns,
    /// How long passages are. Without it a row of a table is one passage, and a text file has passages of 200 words that
    /// share none.
    pub cutting: Option<Cutting>,
}

/// A stretch of a document that is found as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The document's id, and behind `#` its number in it, from 1, where the document was cut.
    pub id: String,
    /// The document's number in the corpus.
    pub document: usize,
    /// The document's title, or the headings above the passage with ` > ` between them.
    pub title: Option<String>,
    /// What it says.
    pub text: String,
    /// The characters of the document that it is, counted from 0.
    pub characters: Range<usize>,
}

impl Passage {
    /// What it is found by: the title on a line of its own, and the text.
    pub fn searched_text(&self) -> String {
        match &self.title {
            Some(title) => format!("{title}\n{}", self.text),
            None => self.text.clone(),
        }
    }
}

/// Passages of documents, in the order of these.
#[derive(Clone, Debug)]
pub struct Corpus {
    passages: IndexMap<String, Passage>,
    /// Ids of documents, by number.
    documents: Vec<String>,
    /// Files of the folder that are of no kind that is read.
    other_files: usize,
}

impl Corpus {
    /// Reads a table, a text file, or a folder of text files.
    pub fn read(path: &Path, options: &CorpusOptions) -> Result<Self, PassageError> {
        let usual = || Cutting::new(USUAL_WORDS, 0);
        let (documents, cutting, other_files) = if path.is_dir() {
            let (documents, others) = folder::documents(path)?;
            (documents, options.cutting.map_or_else(usual, Ok).map(Some)?, others)
        } else if folder::markup(path).is_some() && !is_table(path) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let document = folder::document(path, name)?;
            (vec![document], options.cutting.map_or_else(usual, Ok).map(Some)?, 0)
        } else {
            (table::documents(path, &options.columns)?, options.cutting, 0)
        };
        if documents.is_empty() {
            return Err(PassageError::Empty { path: path.to_owned() });
        }
        Self::of(&documents, cutting, other_files)
    }

    fn of(
        documents: &[Document],
        cutting: Option<Cutting>,
        other_files: usize,
    ) -> Result<Self, PassageError> {
        let mut passages = IndexMap::new();
        let mut places: HashMap<&str, &str> = HashMap::new();
        for (number, document) in documents.iter().enumerate() {
            let Document { id, place, .. } = document;
            if let Some(first) = places.insert(id, place) {
                return Err(repeated(id, place, first));
            }
            for passage in passages_of(number, document, cutting)? {
                if let Some(first) = passages.insert(passage.id.clone(), passage) {
                    let Passage { id, document, .. } = first;
                    let first = documents.get(document).map_or("", |document| &document.place);
                    return Err(repeated(&id, place, first));
                }
            }
        }
        let documents = documents.iter().map(|document| document.id.clone()).collect();
        Ok(Self { passages, documents, other_files })
    }

    /// The files that [`Corpus::read`] would read; nothing where the folder cannot be looked through.
    pub fn files(path: &Path) -> Option<Vec<PathBuf>> {
        if path.is_dir() { folder::files(path).ok() } else { Some(vec![path.to_owned()]) }
    }

    /// Its passages, in order.
    pub fn passages(&self) -> impl ExactSizeIterator<Item = &Passage> {
        self.passages.values()
    }

    /// The passage of a number.
    pub fn passage(&self, number: usize) -> Option<&Passage> {
        self.passages.get_index(number).map(|(_, passage)| passage)
    }

    /// The number of the passage of an id.
    pub fn number_of(&self, id: &str) -> Option<usize> {
        self.passages.get_index_of(id)
    }

    /// The numbers of the passages that an id means: a passage, or all those of a document that was cut.
    pub fn numbers_of(&self, id: &str) -> Vec<usize> {
        if let Some(number) = self.number_of(id) {
            return vec![number];
        }
        let part = |number: usize| self.number_of(&part_id(id, number));
        (1..).map_while(part).collect()
    }

    /// The ids of the documents, by their numbers.
    pub fn documents(&self) -> &[String] {
        &self.documents
    }

    /// How many files of the folder were passed over, being neither `.txt` nor `.md`.
    pub fn other_files(&self) -> usize {
        self.other_files
    }

    /// What passages are found by, in order.
    pub fn searched_texts(&self) -> Vec<String> {
        self.passages().map(Passage::searched_text).collect()
    }
}

/// The id of a part of a document, from 1.
fn part_id(document: &str, number: usize) -> String {
    format!("{document}#{number}")
}

fn repeated(id: &str, place: &str, first: &str) -> PassageError {
    PassageError::RepeatedId { place: place.to_owned(), id: id.to_owned(), first: first.to_owned() }
}

/// The passages of a document; an error if it says nothing.
fn passages_of(
    number: usize,
    document: &Document,
    cutting: Option<Cutting>,
) -> Result<Vec<Passage>, PassageError> {
    let Document { id, title, text, .. } = document;
    let says_nothing = text.trim().is_empty();
    if says_nothing && title.is_none() {
        return Err(PassageError::NoText { place: document.place.clone(), id: id.clone() });
    }
    // A title alone is found, too.
    let parts = document.parts(cutting.filter(|_| !says_nothing))?;
    let mut counted = Counted { text, bytes: 0, characters: 0 };
    let passage = |(place, part): (usize, super::document::Part)| {
        let headings = part.headings.into_iter();
        let titles: Vec<String> = title.iter().cloned().chain(headings).collect();
        let start = counted.up_to(part.bytes.start);
        let text = text.get(part.bytes).unwrap_or_default().to_owned();
        Passage {
            id: if cutting.is_some() { part_id(id, place + 1) } else { id.clone() },
            document: number,
            title: (!titles.is_empty()).then(|| titles.join(BELOW)),
            characters: start..start + text.chars().count(),
            text,
        }
    };
    Ok(parts.into_iter().enumerate().map(passage).collect())
}

/// Characters before a place, counted on from the place before.
struct Counted<'t> {
    text: &'t str,
    bytes: usize,
    characters: usize,
}

impl Counted<'_> {
    /// Places must not go back.
    fn up_to(&mut self, bytes: usize) -> usize {
        self.characters += self.text.get(self.bytes..bytes).map_or(0, |text| text.chars().count());
        self.bytes = self.bytes.max(bytes);
        self.characters
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn read(file: &str, text: &str, options: &CorpusOptions) -> Result<Corpus, String> {
        let folder = folder(&[(file, text)]);
        Corpus::read(&folder.path().join(file), options).map_err(|error| error.to_string())
    }

    fn cut(most_words: usize) -> CorpusOptions {
        let cutting = Some(Cutting::new(most_words, 0).unwrap());
        CorpusOptions { cutting, ..CorpusOptions::default() }
    }

    #[test]
    fn a_row_is_a_passage_unless_it_is_cut() {
        let rows = "{\"_id\": \"a\", \"title\": \"Mill\", \"text\": \"One two. 三四。\"}\n{\"_id\": \"b\", \"title\": \"\", \"text\": \"Five.\"}\n";
        let corpus = read("c.jsonl", rows, &CorpusOptions::default()).unwrap();
        let ids: Vec<&str> = corpus.passages().map(|passage| passage.id.as_str()).collect();
        assert_eq!(ids, ["a", "b"]);
        assert_eq!(corpus.searched_texts(), ["Mill\nOne two. 三四。", "Five."]);
        let corpus = read("c.jsonl", rows, &cut(3)).unwrap();
        let found: Vec<_> = corpus
            .passages()
            .map(|passage| (passage.id.as_str(), passage.text.as_str(), passage.characters.clone()))
            .collect();
        assert_eq!(
            found,
            [("a#1", "One two.", 0..8), ("a#2", "三四。", 9..12), ("b#1", "Five.", 0..5)]
        );
        assert_eq!((corpus.number_of("a#2"), corpus.number_of("a")), (Some(1), None));
    }

    #[test]
    fn a_folder_is_read_in_the_order_of_its_paths() {
        let files = [
            ("b.txt", "Plain words."),
            ("a/x.md", "# Mill\n## Wheel\nOf wood.\n"),
            (".git/no.txt", "no"),
            ("c.pdf", "no"),
        ];
        let folder = folder(&files);
        let corpus = Corpus::read(folder.path(), &CorpusOptions::default()).unwrap();
        let found: Vec<_> = corpus
            .passages()
            .map(|passage| (passage.id.as_str(), passage.title.as_deref(), passage.text.as_str()))
            .collect();
        let expected =
            [("a/x.md#1", Some("Mill > Wheel"), "Of wood."), ("b.txt#1", None, "Plain words.")];
        assert_eq!(found, expected);
        assert_eq!(
            (corpus.documents(), corpus.other_files()),
            (&["a/x.md".to_owned(), "b.txt".to_owned()][..], 1)
        );
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let named = CorpusOptions {
            columns: TableColumns { text: Some("body".to_owned()), ..TableColumns::default() },
            ..CorpusOptions::default()
        };
        let usual = CorpusOptions::default();
        for (file, text, options, expected) in [
            ("a.jsonl", "\n", &usual, "a.jsonl: the corpus is empty"),
            (
                "a.csv",
                "id,text\n1,x\n2,y\n1,z\n",
                &usual,
                "a.csv, row 3: the id `1` is there twice, first in",
            ),
            (
                "a.csv",
                "name,text\n1,x\n",
                &usual,
                "no column `_id` or `id`, only `name`, `text`; name the column of ids with --id-column",
            ),
            ("a.csv", "id,text\n1,x\n", &named, "no column `body`"),
            (
                "a.jsonl",
                "{\"id\": 1, \"text\": \" \"}\n",
                &usual,
                "a.jsonl, row 1: the document `1` has no text",
            ),
            (
                "a.jsonl",
                "{\"id\": 1.5, \"text\": \"x\"}\n",
                &usual,
                "row 1: the column `id` must hold a text or a whole number",
            ),
            (
                "a.jsonl",
                "{\"id\": 1, \"text\": [2]}\n",
                &usual,
                "row 1: the column `text` must hold text, found a list",
            ),
            ("a.md", " \n", &usual, "a.md: the document `a.md` has no text"),
            ("a.pdf", "x", &usual, "cannot tell the format"),
        ] {
            let error = read(file, text, options).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
        let folder = folder(&[("x.pdf", "no")]);
        let error = Corpus::read(folder.path(), &usual).unwrap_err().to_string();
        assert!(error.contains("the corpus is empty"), "{error}");
    }
}
