//! Medicine and biology: board questions, proteins, papers.

use serde_json::Value;

use super::{
    arguments::{Arguments, unknown},
    class::{ClassForm, Tables, own},
    drawn::drawn,
    file::{Encoding, json_lines, typed_csv},
    repositories::{after, each_row, only_split},
    row::{Fields, Flaw, Made, Row, int, letter, object, row, strip, with_first},
    step::{
        Step,
        Step::{Add, Constant, Own},
        stepped,
    },
};
use crate::{
    dataset::DatasetError,
    python::{is_blank, is_truthy, python_str},
};

/// The steps that a mode asks for.
fn of_mode(
    arguments: &Arguments<'_>,
    zero_shot: &'static [Step],
) -> Result<&'static [Step], DatasetError> {
    match arguments.text_or("prompt_mode", "zero-shot")? {
        "zero-shot" => Ok(zero_shot),
        "few-shot" => Ok(&[]),
        other => arguments.asked(unknown("prompt_mode", other, &["zero-shot", "few-shot"])),
    }
}

/// The letter of the last of so many options.
fn last_letter(options: usize) -> String {
    let place = u32::try_from(options).unwrap_or(u32::MAX).saturating_add(64);
    char::from_u32(place).map(String::from).unwrap_or_default()
}

const MED_XPERT: &[Step] = &[
    Constant("start", "A"),
    Own(|row| {
        let end = last_letter(match row.at("options")? {
            Value::Array(options) => options.len(),
            Value::Object(options) => options.len(),
            _ => return Flaw::new("`options` holds no options"),
        });
        row.insert("end".to_owned(), end.into());
        Ok(())
    }),
    Constant("prompt_mode", "zero-shot"),
];

pub(super) const MED_XPERT_QA: ClassForm = own(&["path", "prompt_mode", "*"], |arguments| {
    let rows = only_split(arguments, Some("Text"), "test")?;
    after(arguments, &rows, of_mode(arguments, MED_XPERT)?).map(Tables::Single)
})
.unnamed();

const BULLETS: &[Step] = &[Own(|row| {
    bullets(row);
    Ok(())
})];

/// Four options or five, each a column of a CSV.
pub(super) const MED_BULLETS: ClassForm =
    own(&["path", "prompt_mode?", "*"], |arguments| of_csv(arguments, BULLETS));

/// Options in the lines of one column of a CSV.
pub(super) const NEJM: ClassForm =
    own(&["path", "prompt_mode?", "*"], |arguments| of_csv(arguments, &[Own(option_lines)]));

/// The rows of a CSV, empty cells as empty texts.
fn of_csv(arguments: &Arguments<'_>, zero_shot: &'static [Step]) -> Result<Tables, DatasetError> {
    let steps = of_mode(arguments, zero_shot)?;
    let mut rows: Vec<Row> = Vec::new();
    for item in typed_csv(&arguments.path("path")?)? {
        rows.extend(item.make(|value| {
            let cell = |(name, value): (&String, &Value)| {
                (name.clone(), if value.is_null() { "".into() } else { value.clone() })
            };
            stepped(&Value::Object(object(value)?.iter().map(cell).collect()), steps)
        })?);
    }
    Ok(Tables::Single(rows))
}

fn option_lines(row: &mut Row) -> Made<()> {
    let is_letter = |letter: char| letter.is_ascii_uppercase();
    let option = |line: &str| {
        let line = strip(line);
        let unmarked = line.strip_prefix(is_letter).and_then(|line| line.strip_prefix('.'));
        unmarked.map_or(line, |line| line.trim_start_matches(is_blank)).to_owned()
    };
    let choices = row.get("Choices").map_or_else(String::new, python_str);
    let lines = choices.lines().filter(|line| !strip(line).is_empty());
    let options: Vec<String> = lines.map(option).collect();
    let shown = ('A'..).zip(&options).map(|(letter, option)| format!("{letter}. {option}"));
    let shown = shown.collect::<Vec<_>>().join("\n");
    let question = format!("{}\n{shown}", python_str(row.at("Question")?));
    let (label, end) = (row.at("Answer")?.clone(), last_letter(options.len()));
    row.insert("options".to_owned(), options.into());
    row.insert("question".to_owned(), question.into());
    row.insert("label".to_owned(), label);
    for (name, text) in [("prompt_mode", "zero-shot"), ("start", "A"), ("end", end.as_str())] {
        row.insert(name.to_owned(), text.into());
    }
    Ok(())
}

fn bullets(row: &mut Row) {
    let mut names = vec!["opa", "opb", "opc", "opd"];
    names.extend(row.get("ope").filter(|option| **option != "").map(|_| "ope"));
    let option = |name: &&str| row.get(*name).cloned().unwrap_or_else(|| "".into());
    let options: Vec<Value> = names.iter().map(option).collect();
    let lines =
        ('A'..).zip(&options).map(|(letter, option)| format!("{letter}. {}", python_str(option)));
    let lines = lines.collect::<Vec<_>>().join("\n");
    let question = row.get("question").map_or_else(String::new, python_str);
    let end = last_letter(options.len());
    let label = row.get("answer_idx").cloned().unwrap_or_default();
    row.insert("options".to_owned(), options.into());
    row.insert("question".to_owned(), format!("{question}\n{lines}").into());
    row.insert("label".to_owned(), label);
    for (name, text) in [("prompt_mode", "zero-shot"), ("start", "A"), ("end", end.as_str())] {
        row.insert(name.to_owned(), text.into());
    }
}

pub(super) const PROTEIN_LM_BENCH: ClassForm = own(&["path", "*"], |arguments| {
    let rows = only_split(arguments, Some("evaluation"), "train")?;
    let steps = &[Own(|row| {
        let tail = |text: &str| text.rsplit(": ").next().unwrap_or_default().to_owned();
        let options: Vec<String> = row.texts("options")?.into_iter().map(tail).collect();
        let lines = ('A'..).zip(&options).map(|(letter, option)| format!("{letter}. {option}\n"));
        let lines: String = lines.collect();
        let question = python_str(row.at("question")?);
        let question = format!("\nQuestion: {question}\nAnswer Choices: \n{lines}");
        let gold = row.text("answer")?.rsplit(' ').next().unwrap_or_default();
        let gold = int(&gold.into())?;
        let gold = u32::try_from(gold.saturating_add(64)).ok().and_then(char::from_u32);
        let gold =
            gold.ok_or_else(|| Flaw("`answer` ends in no number of an option".to_owned()))?;
        row.insert("start".to_owned(), "A".into());
        row.insert("end".to_owned(), last_letter(options.len()).into());
        row.insert("question".to_owned(), question.into());
        row.insert("options".to_owned(), options.into());
        row.insert("label".to_owned(), gold.to_string().into());
        Ok(())
    })];
    after(arguments, &rows, steps).map(Tables::Single)
})
.unnamed();

pub(super) const PUB_MED_QA: ClassForm = own(&["path"], |arguments| {
    let rows = only_split(arguments, Some("pqa_labeled"), "train")?;
    let steps = &[
        Own(|row| {
            let (context, question) = (row.at("context")?, row.at("question")?);
            let asked =
                format!("CONTEXTS: {}\nQUESTION: {}", python_str(context), python_str(question));
            row.insert("question".to_owned(), asked.into());
            Ok(())
        }),
        Constant("choices", "A. yes\nB. no\nC. maybe"),
        Own(|row| {
            let label = match row.at("final_decision")?.as_str() {
                Some("yes") => "A. yes",
                Some("no") => "B. no",
                _ => "C. maybe",
            };
            row.insert("label".to_owned(), label.into());
            Ok(())
        }),
    ];
    after(arguments, &rows, steps).map(Tables::Single)
})
.unnamed();

/// Questions without an image, their choices in lines.
pub(super) const SCIENCE_QA: ClassForm = own(&["path"], |arguments| {
    let rows = only_split(arguments, None, "test")?;
    let rows = each_row(arguments, &rows, |value| {
        if !value.at("image")?.is_null() {
            return Ok(Vec::new());
        }
        let choices = value.texts("choices")?;
        let gold = value.whole("answer")?;
        let letters: String = ('A'..).take(choices.len()).collect();
        let letter = letter(&letters, gold)?;
        if gold < 0 {
            return Flaw::new(format!("`answer` is {gold}, which is no number of a choice"));
        }
        let right = choices.get(usize::try_from(gold).unwrap_or(usize::MAX));
        let label = format!("{letter}. {}", right.copied().unwrap_or_default());
        let lines =
            letters.chars().zip(&choices).map(|(letter, choice)| format!("{letter}. {choice}\n"));
        let lines: String = lines.collect();
        let mut made = object(value)?.clone();
        made.insert("choices".to_owned(), lines.into());
        made.insert("label".to_owned(), label.into());
        Ok(vec![made])
    })?;
    Ok(Tables::Single(rows))
})
.unnamed();

pub(super) const CLINIC_BENCH: ClassForm = own(&["path"], |arguments| {
    let rows = only_split(arguments, None, "train")?;
    after(arguments, &rows, &[]).map(Tables::Single)
})
.unnamed();

/// The columns of `MedCalc` under names that templates can write.
const MED_CALC_COLUMNS: &[Step] = &[
    Add("row_number", "Row Number"),
    Add("calculator_id", "Calculator ID"),
    Add("calculator_name", "Calculator Name"),
    Add("category", "Category"),
    Add("output_type", "Output Type"),
    Add("note_id", "Note ID"),
    Add("note_type", "Note Type"),
    Add("patient_note", "Patient Note"),
    Add("question", "Question"),
    Add("relevant_entities", "Relevant Entities"),
    Add("ground_truth_answer", "Ground Truth Answer"),
    Add("lower_limit", "Lower Limit"),
    Add("upper_limit", "Upper Limit"),
    Add("ground_truth_explanation", "Ground Truth Explanation"),
];

pub(super) const MED_CALC_BENCH: ClassForm = own(&["path", "prompt_mode", "*"], |arguments| {
    let rows = only_split(arguments, None, "test")?;
    after(arguments, &rows, of_mode(arguments, MED_CALC_COLUMNS)?).map(Tables::Single)
})
.unnamed();

pub(super) const R_BENCH: ClassForm = own(&["path", "subset?", "*"], |arguments| {
    let subset = format!("rbench-t_{}", arguments.text_or("subset", "en")?);
    let rows = only_split(arguments, Some(&subset), "test")?;
    let steps = &[Step::Take(&[
        ("RBench_Question_Input", "question"),
        ("RBench_Option_A", "A"),
        ("RBench_Option_B", "B"),
        ("RBench_Option_C", "C"),
        ("RBench_Option_D", "D"),
        ("RBench_Option_E", "E"),
        ("RBench_Option_F", "F"),
        ("target", "answer"),
    ])];
    after(arguments, &rows, steps).map(Tables::Single)
})
.unnamed();

/// What a task wants answers to look like.
fn hint(task: &str) -> Made<&'static str> {
    Ok(match task {
        "cls" => {
            "Please use \"yes\" or \"no\" as your answer, and put your answer within \\boxed{}."
        }
        "number" => "Please put your answer number within \\boxed{}.",
        "Function EC" => {
            "Please put the final enzyme within \\boxed{} using \"EC number\", such as \"ECx.x.x.x\". Please split by \",\" if there are multiple enzymes."
        }
        "Non-coding RNA Function Classification" => {
            "You should choose from [leader, tRNA, 5_8S_rRNA, ribozyme, CD-box, Intron_gpII, IRES, 5S_rRNA, scaRNA, miRNA, riboswitch, Intron_gpI, HACA-box]. Please put your final answer within \\boxed{}."
        }
        "Modification Prediction" => {
            "You should choose from [AtoI, m6A, none, m1A, m5C, m5U, m6Am, m7G, Cm, Am, Gm, Um, Psi]. Please put your final answer within \\boxed{}, split by \",\" if there are multiple answers."
        }
        other => return Flaw::new(format!("the task '{other}' has no form of answers")),
    })
}

pub(super) const BIO_DATA: ClassForm = own(&["path", "task", "mini_set?"], |arguments| {
    let file = arguments.path("path")?.join(format!("{}.jsonl", arguments.text("task")?));
    let make = |line: &Value| {
        let mut made = object(line)?.clone();
        let prompt = match line.text("meta_data.ans_type")? {
            "dict" => {
                let keys = object(line.at("ground_truth")?)?.keys();
                let keys = keys.map(|key| format!("\"{key}\": xx")).collect::<Vec<_>>().join(", ");
                let asked = "Please put your final answer with \\boxed{} in json format, such as {";
                format!("{}{asked}{keys}}}", line.text("prompt")?)
            }
            kind @ ("cls" | "number") => format!("{}\n{}", line.text("prompt")?, hint(kind)?),
            "string" => {
                format!("{}\n{}", line.text("prompt")?, hint(line.text("meta_data.task")?)?)
            }
            other => return unknown("ans_type", other, &["dict", "cls", "number", "string"]),
        };
        made.insert("prompt".to_owned(), prompt.into());
        Ok(made)
    };
    let lines = json_lines(&file, Encoding::Strict)?;
    let mut rows = lines.iter().map(|line| line.make(make)).collect::<Result<Vec<Row>, _>>()?;
    if arguments.flag("mini_set", false) {
        rows = drawn(arguments, &rows, 1024, (rows.len() / 10).max(1))?;
    }
    Ok(Tables::Single(rows))
});

pub(super) const SCI_KNOW_EVAL: ClassForm =
    own(&["path", "prompt_mode", "subset", "*"], |arguments| {
        let subset = arguments.text("subset")?;
        let capital = with_first(subset, |letter| letter.to_uppercase().collect());
        let file = format!("data/{}/sciknoweval_{subset}_test.jsonl", arguments.asked(capital)?);
        let rows = arguments.files_of_repository("test", &file)?;
        if arguments.text("prompt_mode")? != "zero-shot" {
            return after(arguments, &rows, of_mode(arguments, &[])?).map(Tables::Single);
        }
        let rows = each_row(arguments, &rows, |value| {
            let (labels, texts) = (value.list("choices.label")?, value.list("choices.text")?);
            let choice = |(label, text)| format!("{}. {}", python_str(label), python_str(text));
            let choices = labels.iter().zip(texts).map(choice).collect::<Vec<_>>().join("\n");
            let (lead, question) = (value.text("prompt.default")?, value.text("question")?);
            let asked = format!("You are an expert in {subset}.\n{lead}\n{question}\n{choices}");
            let mut made = object(value)?.clone();
            made.insert("q4".to_owned(), asked.into());
            made.insert("prompt_mode".to_owned(), "zero-shot".into());
            Ok(vec![made])
        })?;
        Ok(Tables::Single(rows))
    })
    .unnamed();

const CARD_COLUMNS: &[Step] = &[
    Add("expert", "Bio_Category"),
    Constant("start", "A"),
    // Without options it ends before it begins.
    Constant("end", "@"),
    Constant("prompt_mode", "zero-shot"),
];

pub(super) const CARD_BIOMED_BENCH: ClassForm = own(&["path", "prompt_mode", "*"], |arguments| {
    let rows = arguments.files_of_repository("test", "data/CARDBiomedBench.csv")?;
    after(arguments, &rows, of_mode(arguments, CARD_COLUMNS)?).map(Tables::Single)
})
.unnamed();

/// The question and its first four options, cut out of one text.
pub(super) const SCI_EVAL: ClassForm = own(&["path", "name", "category?", "*"], |arguments| {
    let found = only_split(arguments, Some(arguments.text("name")?), "test")?;
    let category = arguments.fields.get("category").filter(|category| !category.is_null());
    let rows = each_row(arguments, &found, |value| {
        let is_wanted = value.get("type").is_some_and(|kind| kind == "multiple-choice")
            && category.is_none_or(|category| value.get("category") == Some(category));
        let answers = ["answer", "answers"]
            .iter()
            .find_map(|name| value.get(*name).filter(|found| is_truthy(found)));
        let (true, Some(answers)) = (is_wanted, answers) else { return Ok(Vec::new()) };
        let question = value.get("question").and_then(Value::as_str).unwrap_or_default();
        let Some(parts) = options_of(question) else { return Ok(Vec::new()) };
        let [stem, a, b, c, d] = parts.map(Value::from);
        let target = answers.at("0").cloned().or_else(|_| {
            let first = answers.as_str().and_then(|text| text.chars().next());
            first
                .map(|letter| letter.to_string().into())
                .ok_or_else(|| Flaw("`answer` is no list".to_owned()))
        })?;
        Ok(vec![row([("input", stem), ("A", a), ("B", b), ("C", c), ("D", d), ("target", target)])])
    })?;
    Ok(Tables::Splits(vec![("test".into(), rows)]))
})
.unnamed();

/// Cuts at the first `A.`, the next `B.` and so on, up to `Answer:`.
fn options_of(text: &str) -> Option<[String; 5]> {
    let mut parts = [const { String::new() }; 5];
    let mut rest = text;
    for (part, mark) in parts.iter_mut().zip(["A.", "B.", "C.", "D.", "Answer:"]) {
        let (before, after) = rest.split_once(mark)?;
        strip(before).clone_into(part);
        rest = after;
    }
    Some(parts)
}
