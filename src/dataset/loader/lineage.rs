//! Families told in shuffled sentences, `NeedleBench`'s challenge to trace ancestors: who is related to whom is drawn,
//! and the eldest, the youngest or the distance between them is asked for.
//!
//! Names come from a file of the data set; sentences and questions stand in OpenCompass's modules and are read there.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{
    arguments::Arguments,
    borrowed::{joined, texts},
    class::{ClassForm, Tables, own},
    file::document,
    row::{Fields, Flaw, Made, Row, formatted, row, strip},
};
use crate::{config::ModuleTexts, dataset::DatasetError, python::PythonRandom};

/// What is said of rows that the original draws anew at each start.
pub(super) const UNSEEDED: &str = "the original draws its rows without a seed, others at each start; here they are drawn with seed 1, the same each time";

/// The seed of what the original draws without one.
pub(super) const UNSEEDED_SEED: u64 = 1;

pub(super) const LANGUAGES: &[&str] = &["Chinese", "English"];

/// Names and the sentences that relate two of them.
pub(super) struct Family {
    names: Vec<String>,
    terms: Vec<String>,
    sentences: Vec<String>,
}

/// A drawn family.
pub(super) struct Drawn {
    /// From the eldest to the youngest.
    pub(super) names: Vec<String>,
    /// Its sentences from the eldest on, and an empty text behind them.
    pub(super) sentences: Vec<String>,
    /// How each is called by the next.
    terms: Vec<String>,
}

/// The texts of a list.
fn listed(value: Option<&Value>, what: &str) -> Made<Vec<String>> {
    let items = value.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let texts = items.iter().map(|item| item.as_str().map(str::to_owned)).collect();
    let texts: Option<Vec<String>> = texts;
    texts
        .filter(|texts| !texts.is_empty())
        .ok_or_else(|| Flaw(format!("its module has no {what}; opencompass 0.5.4 has them")))
}

impl Family {
    pub(super) fn new(
        file: &Path,
        language: &str,
        terms: Option<&Value>,
        sentences: Option<&Value>,
    ) -> Result<Self, DatasetError> {
        document(file)?.make(|names| {
            Ok(Self {
                names: names.text(language)?.split(',').map(str::to_owned).collect(),
                terms: listed(terms, "words for relatives")?,
                sentences: listed(sentences, "sentences on relatives")?,
            })
        })
    }

    /// The family of the constants at the top of a module of the second version.
    pub(super) fn of_constants(
        texts: &ModuleTexts,
        file: &Path,
        language: &str,
    ) -> Result<Self, DatasetError> {
        let suffix = suffix_of(language);
        let terms = texts.value(&format!("relationship_terms_{suffix}"));
        let sentences = texts.value(&format!("relationship_templates_{suffix}"));
        Self::new(file, language, terms.as_ref(), sentences.as_ref())
    }

    /// So many names, each related to the next.
    pub(super) fn draw(&self, random: &mut PythonRandom, count: usize) -> Made<Drawn> {
        let places = random.sample(self.names.len(), count).filter(|places| !places.is_empty());
        let places = places.ok_or_else(|| {
            Flaw(format!("{count} names are to be drawn, but there are {}", self.names.len()))
        })?;
        let names: Vec<String> =
            places.iter().filter_map(|place| self.names.get(*place).cloned()).collect();
        let (mut story, mut terms) = (String::new(), Vec::new());
        for pair in names.windows(2) {
            let sentence = &self.sentences[random.choice(self.sentences.len())];
            let term = &self.terms[random.choice(self.terms.len())];
            let fields = [("A", &*pair[0]), ("B", &*pair[1]), ("relationship", term)];
            story.push_str(&formatted(sentence, &[], &fields)?);
            story.push('*');
            terms.push(term.clone());
        }
        let sentences = story.split('*').map(str::to_owned).collect();
        Ok(Drawn { names, sentences, terms })
    }
}

impl Drawn {
    pub(super) fn eldest(&self) -> &str {
        self.names.first().map_or("", String::as_str)
    }

    pub(super) fn youngest(&self) -> &str {
        self.names.last().map_or("", String::as_str)
    }
}

/// How constants of a language end.
fn suffix_of(language: &str) -> &'static str {
    if language == "Chinese" { "zh_CN" } else { "en" }
}

const FIELDS: &[&str] = &["path", "file_name", "num_needles", "language", "repeats"];

/// What the entries of all these classes say.
struct Asked<'a> {
    arguments: &'a Arguments<'a>,
    texts: ModuleTexts,
    language: &'a str,
    names: usize,
    repeats: u64,
}

impl<'a> Asked<'a> {
    fn new(arguments: &'a Arguments<'a>, module: &str) -> Result<Self, DatasetError> {
        let number = |field: &str| -> Result<u64, DatasetError> {
            let number = arguments.asked(arguments.fields.whole(field))?;
            Ok(u64::try_from(number).unwrap_or(0))
        };
        Ok(Self {
            arguments,
            texts: texts(arguments, module)?,
            language: arguments.one_of("language", LANGUAGES)?,
            names: usize::try_from(number("num_needles")?).unwrap_or(usize::MAX),
            repeats: number("repeats")?,
        })
    }

    fn file(&self) -> Result<PathBuf, DatasetError> {
        self.arguments.file("{path}/{file_name}")
    }

    /// Which of the two languages it is.
    fn place(&self) -> usize {
        usize::from(self.language == "English")
    }

    /// The family of the lists that a class writes in its code.
    fn family_of(&self, class: &str) -> Result<Family, DatasetError> {
        let list = |name: &str| self.texts.values_within(class, name).into_iter().nth(self.place());
        let (terms, sentences) = (list("relationship_terms"), list("relationship_templates"));
        Family::new(&self.file()?, self.language, terms.as_ref(), sentences.as_ref())
    }

    /// The prompt of this number among those that a module writes, in this language.
    fn question(&self, pair: usize, youngest: &str) -> Made<String> {
        let templates = self.texts.templates("prompt");
        let template = templates.get(pair * 2 + self.place());
        let template = template
            .ok_or_else(|| Flaw("its module has no such prompt; opencompass 0.5.4 has".into()))?;
        joined(template, &[("last_person", youngest)])
    }

    /// A row for each repeat.
    fn rows(&self, make: impl FnMut(u64) -> Made<Vec<Row>>) -> Result<Tables, DatasetError> {
        let rows: Made<Vec<Vec<Row>>> = (0..self.repeats).map(make).collect();
        self.arguments.asked(rows).map(|rows| Tables::Single(rows.concat()))
    }
}

const FIRST_MODULE: &str = "opencompass/datasets/needlebench/atc.py";

/// Families of the first version: drawn without a seed, told in order or not.
fn first(
    arguments: &Arguments<'_>,
    class: &str,
    pair: usize,
    is_shuffled: bool,
) -> Result<Tables, DatasetError> {
    let asked = Asked::new(arguments, FIRST_MODULE)?;
    let family = asked.family_of(class)?;
    let mut random = PythonRandom::from_seed(UNSEEDED_SEED);
    asked.rows(|_| {
        let mut drawn = family.draw(&mut random, asked.names)?;
        if is_shuffled {
            random.shuffle(&mut drawn.sentences);
        }
        let question = asked.question(pair, drawn.youngest())?;
        let prompt = format!("{} {question}", drawn.sentences.concat());
        let answer = format!("{0}*{0}", drawn.eldest());
        Ok(vec![row([("prompt", prompt.into()), ("answer", answer.into())])])
    })
}

pub(super) const SHUFFLED: ClassForm =
    own(FIELDS, |arguments| first(arguments, "NeedleBenchATCDataset", 0, true))
        .with_texts(&[FIRST_MODULE])
        .with_note(UNSEEDED);

pub(super) const ORDERED: ClassForm =
    own(FIELDS, |arguments| first(arguments, "NeedleBenchATCOrderedDataset", 1, false))
        .with_texts(&[FIRST_MODULE])
        .with_note(UNSEEDED);

const CHOICE_MODULE: &str = "opencompass/datasets/needlebench/atc_choice.py";

/// The turns of four options.
const TURNS: [&str; 4] = ["ABCD", "BCDA", "CDAB", "DABC"];

pub(super) const CHOICE: ClassForm = own(
    &["path", "file_name", "num_needles", "language", "repeats", "with_circular?"],
    |arguments| {
        let asked = Asked::new(arguments, CHOICE_MODULE)?;
        let family = asked.family_of("NeedleBenchATCDataset")?;
        asked.rows(|number| {
            let mut random = PythonRandom::from_seed(number);
            let mut drawn = family.draw(&mut random, asked.names)?;
            random.shuffle(&mut drawn.sentences);
            let question = asked.question(0, drawn.youngest())?;
            let question = format!("{} {question}", drawn.sentences.concat());
            let mut options = drawn.names.clone();
            if let Some(fewer) = 4_usize.checked_sub(options.len()).filter(|fewer| *fewer > 0) {
                let others: Vec<&String> =
                    family.names.iter().filter(|name| !drawn.names.contains(name)).collect();
                let more = random.sample(others.len(), fewer);
                let more = more.ok_or_else(|| Flaw("there are not four names".to_owned()))?;
                options.extend(more.into_iter().map(|place| others[place].clone()));
            }
            Ok(TURNS.map(|turn| turned(number, &question, &options, turn)).to_vec())
        })
    },
)
.with_texts(&[CHOICE_MODULE]);

/// The question with its four options in the order of a turn.
fn turned(number: u64, question: &str, options: &[String], turn: &str) -> Row {
    let turned: Vec<&str> = turn
        .bytes()
        .filter_map(|letter| options.get(usize::from(letter - b'A')))
        .map(String::as_str)
        .collect();
    let lines = ('A'..).zip(&turned).map(|(letter, option)| format!("{letter}. {option}\n"));
    let text = format!("{}\n{}", strip(question), lines.collect::<String>());
    let place = ('A'..).zip(turn.chars()).find(|(_, first)| *first == 'A');
    let gold = place.map_or('A', |(letter, _)| letter);
    row([
        ("question", text.into()),
        ("options", turned.into()),
        ("answer", format!("{number}--{gold}--{turn}").into()),
    ])
}

const ELDER_MODULE: &str = "opencompass/datasets/needlebench_v2/atc_elder_only.py";

pub(super) const ELDEST: ClassForm = own(FIELDS, |arguments| {
    let asked = Asked::new(arguments, ELDER_MODULE)?;
    let family = Family::of_constants(&asked.texts, &asked.file()?, asked.language)?;
    asked.rows(|number| {
        let mut random = PythonRandom::from_seed(number);
        let mut drawn = family.draw(&mut random, asked.names)?;
        random.shuffle(&mut drawn.sentences);
        let prompt = constant(&asked, "shuffled_story_with_prompt")?;
        let fields =
            [("shuffled_story", &*drawn.sentences.concat()), ("last_person", drawn.youngest())];
        let prompt = formatted(&prompt, &[], &fields)?;
        Ok(vec![row([("prompt", prompt.into()), ("answer", drawn.eldest().into())])])
    })
})
.with_texts(&[ELDER_MODULE]);

/// A prompt at the top of a module, in the language that is asked for.
fn constant(asked: &Asked<'_>, name: &str) -> Made<String> {
    let name = format!("{name}_{}", suffix_of(asked.language));
    let found = asked.texts.value(&name).and_then(|value| value.as_str().map(str::to_owned));
    found.ok_or_else(|| Flaw(format!("its module has no {name}; opencompass 0.5.4 has it")))
}

pub(super) const SECOND_MODULE: &str = "opencompass/datasets/needlebench_v2/atc.py";

/// What is asked of a family, in the order in which seeds are counted: what it is called, and its prompt.
const QUESTIONS: [(&str, &str); 4] = [
    ("ELDEST_ANCESTOR", "shuffled_story_with_prompt"),
    ("NTH_ANCESTOR", "nth_ancestor_prompt"),
    ("NTH_DESCENDANT", "nth_descendant_prompt"),
    ("RELATIONSHIP_DISTANCE", "relationship_distance_prompt"),
];

pub(super) const TRACED: ClassForm = own(FIELDS, |arguments| {
    let asked = Asked::new(arguments, SECOND_MODULE)?;
    let family = Family::of_constants(&asked.texts, &asked.file()?, asked.language)?;
    let map = if asked.language == "Chinese" { "zh" } else { "en" };
    let generations =
        asked.texts.value(&format!("relationship_generation_map_{map}")).unwrap_or_default();
    let mut rows = Vec::new();
    for (kind, (name, template)) in (0..).zip(QUESTIONS) {
        let template = arguments.asked(constant(&asked, template))?;
        for number in 0..asked.repeats {
            let mut random = PythonRandom::from_seed(number + 1 + 10_000 * kind);
            let made = family
                .draw(&mut random, asked.names.saturating_add(1))
                .and_then(|drawn| traced(&mut random, drawn, &generations, name, &template));
            rows.push(arguments.asked(made)?);
        }
    }
    Ok(Tables::Single(rows))
})
.with_texts(&[SECOND_MODULE]);

/// A question of a kind on a family.
fn traced(
    random: &mut PythonRandom,
    mut drawn: Drawn,
    generations: &Value,
    kind: &str,
    template: &str,
) -> Made<Row> {
    let steps = drawn.terms.iter().map(|term| generations.whole(term).unwrap_or(1));
    let distance = steps.sum::<i64>().to_string();
    drawn.sentences.retain(|sentence| !sentence.is_empty());
    random.shuffle(&mut drawn.sentences);
    let story = drawn.sentences.concat();
    let (eldest, youngest) = (drawn.eldest(), drawn.youngest());
    let (person, answer) = match kind {
        "NTH_DESCENDANT" => (eldest, youngest),
        "RELATIONSHIP_DISTANCE" => (youngest, &*distance),
        _ => (youngest, eldest),
    };
    let fields = [
        ("shuffled_story", &*story),
        ("last_person", youngest),
        ("person", person),
        ("n", &distance),
        ("person_a", eldest),
        ("person_b", youngest),
    ];
    let prompt = formatted(template, &[], &fields)?;
    Ok(row([("prompt", prompt.into()), ("answer", answer.into()), ("question_type", kind.into())]))
}
