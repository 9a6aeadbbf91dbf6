//! The same questions in many languages: P-MMEval, `XCOPA`, `XLSum`, comments of Jigsaw.

use serde_json::json;

use super::{
    arguments::Arguments,
    class::{ClassForm, Format, Tables, files, library, own},
    file::{Encoding, cell_rows, json_lines, malformed},
    repositories::{after, only_split},
    row::{Fields, Flaw, Row, int, object},
    step::Step::Own,
};
use crate::dataset::DatasetError;

const LANGUAGE: &[&str] = &["path", "lang"];

pub(super) const FLORES: ClassForm = files(
    &["path", "lang_fullname"],
    &[("", "{path}/flores/test/{lang_fullname}.jsonl")],
    Format::Lines,
    &[],
);

pub(super) const HUMAN_EVAL_XL: ClassForm = files(
    &["path", "lang", "program_lang"],
    &[("", "{path}/humaneval-xl/test/{program_lang}/{lang}.jsonl")],
    Format::Lines,
    &[],
);

pub(super) const MGSM: ClassForm =
    files(LANGUAGE, &[("", "{path}/mgsm/test/{lang}.jsonl")], Format::Lines, &[]);

pub(super) const M_HELLASWAG: ClassForm =
    files(LANGUAGE, &[("", "{path}/mhellaswag/test/{lang}.jsonl")], Format::Lines, &[]);

pub(super) const M_IF_EVAL: ClassForm =
    files(LANGUAGE, &[("", "{path}/mifeval/test/{lang}.jsonl")], Format::Lines, &[]);

pub(super) const M_LOGI_QA: ClassForm =
    files(LANGUAGE, &[("", "{path}/mlogiqa/test/{lang}.jsonl")], Format::Lines, &[]);

pub(super) const XNLI: ClassForm =
    files(LANGUAGE, &[("", "{path}/xnli/test/{lang}.jsonl")], Format::Lines, &[]);

pub(super) const M_MMLU: ClassForm = own(&["path", "lang", "difficulty"], |arguments| {
    let wanted = arguments.one_of("difficulty", &["easy", "hard", "all"])?;
    let mut rows = Vec::new();
    for difficulty in ["easy", "hard"] {
        if wanted == difficulty || wanted == "all" {
            let file = format!("{{path}}/mmmlu/{difficulty}/test/mmlu_{{lang}}.jsonl");
            for item in json_lines(&arguments.file(&file)?, Encoding::Strict)? {
                rows.push(item.make(|value| object(value).cloned())?);
            }
        }
    }
    Ok(Tables::Single(rows))
});

/// A translation's languages become columns.
pub(super) const IWSLT: ClassForm = library(&[Own(|row| {
    let pair = object(row.at("translation")?)?.clone();
    row.shift_remove("translation");
    row.extend(pair);
    Ok(())
})]);

const XCOPA_LANGUAGES: &[&str] = &[
    "et",
    "ht",
    "it",
    "id",
    "qu",
    "sw",
    "zh",
    "ta",
    "th",
    "tr",
    "vi",
    "translation-et",
    "translation-ht",
    "translation-it",
    "translation-id",
    "translation-sw",
    "translation-zh",
    "translation-ta",
    "translation-th",
    "translation-tr",
    "translation-vi",
];

const XL_SUM_LANGUAGES: &[&str] = &[
    "oromo",
    "french",
    "amharic",
    "arabic",
    "azerbaijani",
    "bengali",
    "burmese",
    "chinese_simplified",
    "chinese_traditional",
    "welsh",
    "english",
    "kirundi",
    "gujarati",
    "hausa",
    "hindi",
    "igbo",
    "indonesian",
    "japanese",
    "korean",
    "kyrgyz",
    "marathi",
    "spanish",
    "scottish_gaelic",
    "nepali",
    "pashto",
    "persian",
    "pidgin",
    "portuguese",
    "punjabi",
    "russian",
    "serbian_cyrillic",
    "serbian_latin",
    "sinhala",
    "somali",
    "swahili",
    "tamil",
    "telugu",
    "thai",
    "tigrinya",
    "turkish",
    "ukrainian",
    "urdu",
    "uzbek",
    "vietnamese",
    "yoruba",
];

pub(super) const XCOPA: ClassForm =
    own(&["path"], |arguments| joined(arguments, XCOPA_LANGUAGES)).unnamed();

pub(super) const XL_SUM: ClassForm =
    own(&["path"], |arguments| joined(arguments, XL_SUM_LANGUAGES)).unnamed();

/// The validation rows of all languages, one after the other.
fn joined(arguments: &Arguments<'_>, languages: &[&str]) -> Result<Tables, DatasetError> {
    let mut rows = Vec::new();
    for language in languages {
        rows.extend(after(arguments, &only_split(arguments, Some(language), "validation")?, &[])?);
    }
    Ok(Tables::Single(rows))
}

/// Comments of one language; their labels lie line by line in a file beside them.
pub(super) const JIGSAW: ClassForm = own(&["path", "label", "lang"], |arguments| {
    let language = arguments.one_of("lang", &["es", "fr", "it", "pt", "ru", "tr"])?;
    let labels_path = arguments.path("label")?;
    let (texts, labels) =
        (cell_rows(&arguments.path("path")?, ',')?, cell_rows(&labels_path, ',')?);
    let mut rows: Vec<Row> = Vec::new();
    for (text, label) in texts.iter().zip(&labels) {
        if text.make(|cells| Ok(cells.text("2")? != language))? {
            continue;
        }
        let number = rows.len();
        let gold = label.make(|cells| int(cells.at("1")?))?;
        rows.push(text.make(|cells| {
            if cells.at("0")? != label.value.at("0")? {
                return Flaw::new("its number is not that of the line in the file of labels");
            }
            let made = json!({"idx": number, "text": cells.at("1")?, "label": gold, "choices": ["no", "yes"]});
            object(&made).cloned()
        })?);
    }
    if texts.len() > labels.len() {
        let what = format!("{} labels of {} comments", labels.len(), texts.len());
        return Err(malformed(&labels_path.display().to_string(), Flaw(what)));
    }
    Ok(Tables::Splits(vec![("test".into(), rows)]))
})
.unnamed();
