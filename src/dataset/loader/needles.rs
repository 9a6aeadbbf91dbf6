//! `NeedleBench`: one sentence, several that belong together, or several at once are hidden in a long document.
//!
//! Both versions are here; their prompts stand in OpenCompass's modules and are read there. Several at once are in
//! `parallel_needles`.

use serde_json::Value;

use super::{
    arguments::{Arguments, unknown},
    borrowed::{joined, texts},
    class::{ClassForm, Tables, own},
    file::{Encoding, Item, document, json_lines},
    haystack::{Depths, Haystack},
    lineage::{Family, LANGUAGES, SECOND_MODULE},
    row::{Fields, Flaw, Made, Row, row},
};
use crate::{
    config::{ModuleTexts, Piece},
    dataset::DatasetError,
    python::PythonRandom,
};

/// The files that a document can be made of.
const FILES: &[&str] = &[
    "en_un_asr.jsonl",
    "zh_all.jsonl",
    "PaulGrahamEssays.jsonl",
    "multi_needle_reasoning_en.json",
    "multi_needle_reasoning_zh.json",
    "zh_finance.jsonl",
    "zh_game.jsonl",
    "zh_general.jsonl",
    "zh_government.jsonl",
    "zh_movie.jsonl",
    "zh_tech.jsonl",
];

/// Those of the tasks with several sentences.
pub(super) fn files_of_several() -> &'static [&'static str] {
    FILES.get(2..).unwrap_or_default()
}

/// How a class asks.
pub(super) struct Asking {
    texts: ModuleTexts,
    pub(super) language: String,
    prompt: Vec<Piece>,
    pub(super) is_guided: bool,
}

impl Asking {
    /// What stands in a module; `position` is the field that says whether the question comes before the document.
    pub(super) fn new(
        arguments: &Arguments<'_>,
        module: &str,
        position: &str,
    ) -> Result<Self, DatasetError> {
        let texts = texts(arguments, module)?;
        let language = arguments.one_of("language", LANGUAGES)?.to_owned();
        let place = arguments.text_or(position, "End")?;
        if !["End", "Start"].contains(&place) {
            return arguments.asked(unknown(position, place, &["End", "Start"]));
        }
        let mut templates = texts.templates("prompt");
        let wanted = match (templates.len(), &*language, place) {
            (3 | 4, "Chinese", "End") => Some(0),
            (4, "Chinese", _) => Some(1),
            (count @ (3 | 4), _, "End") => Some(count - 2),
            (count @ (3 | 4), "English", _) => Some(count - 1),
            _ => None,
        };
        let Some(wanted) = wanted else {
            let what = format!(
                "{position}='Start' in Chinese is no prompt of this class: the original makes two texts of it"
            );
            return arguments.asked(Flaw::new(what));
        };
        let prompt = templates.swap_remove(wanted);
        let is_guided = arguments.flag("guide", false);
        Ok(Self { texts, language, prompt, is_guided })
    }

    /// The texts of a function from those for the language on.
    fn wording(&self, function: &str) -> Vec<String> {
        let mut strings = self.texts.strings_of(function);
        let place = strings.iter().position(|text| *text == self.language);
        strings.split_off(place.map_or(strings.len(), |place| place + 1))
    }

    pub(super) fn prompt(&self, context: &str, question: &str, youngest: &str) -> Made<String> {
        let fields =
            [("context", context), ("retrieval_question", question), ("last_person", youngest)];
        joined(&self.prompt, &fields)
    }

    /// A question with a hint before what it says of the answer's format.
    pub(super) fn hinted(&self, question: &str, function: &str) -> Made<String> {
        let wording = self.wording(function);
        let (Some(format), Some(hint)) = (wording.first(), wording.get(1)) else {
            return Flaw::new("its module has no hint; opencompass 0.5.4 has one");
        };
        let mut parts = question.split(&**format);
        let (Some(before), Some(behind)) = (parts.next(), parts.next()) else {
            return Flaw::new(format!("the question does not say `{format}`: {question}"));
        };
        Ok(format!("{before}{hint}{behind}"))
    }
}

pub(super) fn rows(made: Vec<Row>) -> Tables {
    Tables::Single(made)
}

pub(super) fn pair(prompt: String, answer: String) -> Row {
    row([("prompt", prompt.into()), ("answer", answer.into())])
}

/// The depth of the field, in percent.
fn percent(arguments: &Arguments<'_>, field: &str) -> Result<f64, DatasetError> {
    let value = arguments.asked(arguments.fields.at(field))?;
    let number = value.as_f64().ok_or_else(|| Flaw(format!("`{field}` is a number")));
    arguments.asked(number)
}

const ONE: &str = "opencompass/datasets/needlebench/origin.py";
const ONE_V2: &str = "opencompass/datasets/needlebench_v2/origin.py";

pub(super) const HIDDEN: ClassForm = own(
    &[
        "path",
        "length",
        "depth",
        "tokenizer_model",
        "file_list",
        "num_repeats_per_file",
        "length_buffer",
        "guide",
        "language",
        "needle_file_name",
        "position?",
    ],
    |arguments| {
        let asking = Asking::new(arguments, ONE, "position")?;
        hidden(arguments, &asking, |question| {
            if asking.is_guided {
                return asking.hinted(question, "_modify_retrieval_question");
            }
            let function = "_modify_retrieval_question_for_base";
            let question = asking.hinted(question, function)?;
            let wording = asking.wording(function);
            let question = question.replace(wording.get(2).map_or("", String::as_str), "");
            // What is left of the format's description.
            let cut = if asking.language == "Chinese" { 16 } else { 10 };
            let kept = question.chars().count().saturating_sub(cut);
            Ok(question.chars().take(kept).collect())
        })
    },
)
.with_texts(&[ONE]);

pub(super) const HIDDEN_V2: ClassForm = own(
    &[
        "path",
        "length",
        "depth",
        "tokenizer_model",
        "file_list",
        "num_repeats_per_file",
        "length_buffer",
        "language",
        "needle_file_name",
        "quesiton_position?",
    ],
    |arguments| {
        let asking = Asking::new(arguments, ONE_V2, "quesiton_position")?;
        hidden(arguments, &asking, |question| Ok(question.to_owned()))
    },
)
.with_texts(&[ONE_V2]);

/// One sentence in each document.
fn hidden(
    arguments: &Arguments<'_>,
    asking: &Asking,
    reword: impl Fn(&str) -> Made<String>,
) -> Result<Tables, DatasetError> {
    let depths = Depths::Spaced { first: percent(arguments, "depth")?, apart: 0.0 };
    let haystack = Haystack::new(arguments, depths)?;
    let needles = json_lines(&haystack.needle_file()?, Encoding::Strict)?;
    let needles: Vec<&Item> = needles
        .iter()
        .filter(|needle| needle.value.text("language").is_ok_and(|own| own == asking.language))
        .collect();
    let made = haystack.documents(FILES, |number, hide| {
        let chosen = PythonRandom::from_seed(number).choice(needles.len());
        let Some(chosen) = needles.get(chosen) else {
            return Flaw::new(format!("no needle is in {}", asking.language));
        };
        let needle = format!("\n{}\n", chosen.value.text("needle")?);
        let question = reword(chosen.value.text("retrieval_question")?)?;
        let answer = format!("{needle}*{}", chosen.value.text("arg2")?);
        let document = hide(&[needle])?;
        Ok(pair(asking.prompt(&document, &question, "")?, answer))
    })?;
    Ok(rows(made))
}

const SEVERAL: &str = "opencompass/datasets/needlebench/multi.py";
const SEVERAL_V2: &str = "opencompass/datasets/needlebench_v2/multi.py";

pub(super) const RELATED: ClassForm = own(
    &[
        "path",
        "length",
        "depth",
        "tokenizer_model",
        "file_list",
        "num_repeats_per_file",
        "length_buffer",
        "guide",
        "language",
        "needle_file_name",
        "num_needles",
        "diff",
        "position?",
    ],
    |arguments| {
        let asking = Asking::new(arguments, SEVERAL, "position")?;
        let haystack = Haystack::new(arguments, spaced(arguments)?)?;
        let stories = document(&haystack.needle_file()?)?;
        let count = arguments.asked(arguments.fields.at("num_needles"))?;
        let stories: Vec<Value> = stories.make(|stories| {
            let stories = stories.as_array().ok_or_else(|| Flaw("a list is expected".into()))?;
            let is_wanted = |story: &&Value| story.get("derivation_count") == Some(count);
            Ok(stories.iter().filter(is_wanted).cloned().collect())
        })?;
        let made = haystack.documents(files_of_several(), |number, hide| {
            let chosen = PythonRandom::from_seed(number).choice(stories.len());
            let Some(story) = stories.get(chosen) else {
                return Flaw::new(format!("no story has derivation_count {count}"));
            };
            let needles = story.texts("derivations")?;
            let needles: Vec<String> =
                needles.into_iter().map(|needle| format!("\n{needle}\n")).collect();
            let mut question = story.text("question")?.to_owned();
            if asking.is_guided {
                let wording = asking.wording("_modify_retrieval_question");
                question.push_str(wording.first().map_or("", String::as_str));
            }
            let answer = format!("{0}*{0}", story.text("answer")?);
            Ok(pair(asking.prompt(&hide(&needles)?, &question, "")?, answer))
        })?;
        Ok(rows(made))
    },
)
.with_texts(&[SEVERAL]);

fn spaced(arguments: &Arguments<'_>) -> Result<Depths, DatasetError> {
    Ok(Depths::Spaced { first: percent(arguments, "depth")?, apart: percent(arguments, "diff")? })
}

pub(super) const RELATED_V2: ClassForm = own(
    &[
        "path",
        "length",
        "depth",
        "tokenizer_model",
        "file_list",
        "num_repeats_per_file",
        "length_buffer",
        "language",
        "needle_file_name",
        "num_needles",
        "diff",
        "quesiton_position?",
    ],
    |arguments| {
        let asking = Asking::new(arguments, SEVERAL_V2, "quesiton_position")?;
        let haystack = Haystack::new(arguments, spaced(arguments)?)?;
        let constants = texts(arguments, SECOND_MODULE)?;
        let family =
            Family::of_constants(&constants, &haystack.needle_file()?, &asking.language)?;
        let count = arguments.asked(arguments.fields.whole("num_needles"))?;
        let count = usize::try_from(count.saturating_add(1)).unwrap_or(0);
        let questions = asking.texts.templates("retrieval_question");
        let question = questions.get(usize::from(asking.language == "English"));
        let question = arguments.asked(
            question.ok_or_else(|| Flaw("its module asks nothing; opencompass 0.5.4 does".into())),
        )?;
        let made = haystack.documents(files_of_several(), |number, hide| {
            let mut random = PythonRandom::from_seed(number);
            let mut drawn = family.draw(&mut random, count)?;
            drawn.sentences.retain(|sentence| !sentence.is_empty());
            random.shuffle(&mut drawn.sentences);
            let needles: Vec<String> =
                drawn.sentences.iter().map(|needle| format!("\n{needle}\n")).collect();
            let question = joined(question, &[("last_person", drawn.youngest())])?;
            let prompt = asking.prompt(&hide(&needles)?, &question, drawn.youngest())?;
            Ok(pair(prompt, drawn.eldest().to_owned()))
        })?;
        Ok(rows(made))
    },
)
.with_texts(&[SEVERAL_V2, SECOND_MODULE])
.with_note(
    "the original reads its files from the hub repository opencompass/NeedleBench; here they are read at `path`",
);
