//! What silently costs accuracy is told before weights are read, by `check` and by `run`; sane data sets
//! are not warned of.

use std::{fmt::Write as _, process::Output};

use serde_json::{Value as Json, json};

use super::scratch::{CHOICES, Scratch, stderr, stdout};

const NAMES: &str = "_base = dict(type='HuggingFaceCausalLM', abbr='tiny', path='models/tiny-llama-bos', max_seq_len=256)
_meta = dict(_base, meta_template=dict(round=[dict(role='HUMAN', begin='H: ', end='\\n'), dict(role='BOT', begin='B:', generate=True)]))
_chat = dict(_base, type='HuggingFacewithChatTemplate', chat_template='{% for m in messages %}[{{ m.role }}]{{ m.content }}\\n{% endfor %}[assistant]')
_ppl, _gen = dict(type='PPLInferencer'), dict(type='GenInferencer', max_out_len=2)
_zero = dict(type='ZeroRetriever')
";

/// A plain text for each label, as `template`; the rows' question follows.
const PLAIN: &str = "{l: 'Question: {question}\\nAnswer: ' + l for l in ['A', 'B']}";
/// A dialogue for each label.
const DIALOGUES: &str = "{l: dict(round=[dict(role='HUMAN', prompt='{question}'), dict(role='BOT', prompt=l)]) for l in ['A', 'B']}";
/// A dialogue that is continued.
const DIALOGUE: &str =
    "dict(round=[dict(role='HUMAN', prompt='{question}'), dict(role='BOT', prompt='{answer}')])";

/// A data set and a model, and what is wrong with them.
#[derive(Clone)]
struct Case {
    template: &'static str,
    /// Further entries of `infer_cfg`; the retriever among them.
    examples: &'static str,
    inferencer: &'static str,
    model: &'static str,
    evaluation: &'static str,
    rows: Vec<Json>,
}

impl Case {
    /// Two candidates, written as plain texts, for a model without a chat template.
    fn sane() -> Self {
        let row = |(index, answer): (usize, &&str)| json!({"question": format!("the cat {index}"), "answer": answer, "more": "x"});
        Self {
            template: PLAIN,
            examples: "retriever=_zero",
            inferencer: "_ppl",
            model: "_base",
            evaluation: "evaluator=dict(type='AccEvaluator')",
            rows: ["A", "B", "A", "B", "B", "A"].iter().enumerate().map(row).collect(),
        }
    }

    fn scratch(&self) -> Scratch {
        let scratch = Scratch::new();
        let Self { template, examples, inferencer, model, evaluation, rows } = self;
        let token = if template.contains("</E>") { ", ice_token='</E>'" } else { "" };
        let config = format!(
            "{NAMES}datasets = [dict(abbr='own', path='rows.jsonl', reader_cfg=dict(input_columns=['question'], \
             output_column='answer'), infer_cfg=dict(prompt_template=dict(type='PromptTemplate', template={template}\
             {token}), {examples}, inferencer={inferencer}), eval_cfg=dict({evaluation}))]\nmodels = [{model}]\n"
        );
        scratch.write(
            "config.py",
            &config.replace("PromptTemplate', template=RAW", "RawPromptTemplate', messages="),
        );
        let mut lines = String::new();
        for row in rows {
            writeln!(lines, "{row}").unwrap();
        }
        scratch.write("rows.jsonl", &lines);
        scratch
    }
}

/// What `check --json` counts, notes left out.
fn counted(scratch: &Scratch) -> Vec<Json> {
    let output = scratch.run(&["check", "config.py", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let rows: Json = serde_json::from_str(&stdout(&output)).unwrap();
    let warnings =
        rows.as_array().unwrap().iter().flat_map(|row| row["warnings"].as_array().unwrap());
    warnings.filter(|warning| warning["severity"] == "warning").cloned().collect()
}

/// The only warning of a case.
fn only(case: &Case) -> Json {
    let mut found = counted(&case.scratch());
    assert_eq!(found.len(), 1, "{found:?}");
    let only = found.remove(0);
    assert!(only["message"].as_str().is_some_and(|message| !message.is_empty()));
    only
}

fn text(output: &Output) -> String {
    stdout(output) + &stderr(output)
}

#[test]
fn a_field_that_no_row_has_is_counted_with_what_was_meant() {
    let misspelt = "{l: 'Question: {qestion}\\nAnswer: ' + l for l in ['A', 'B']}";
    let case = Case { template: misspelt, ..Case::sane() };
    let found = only(&case);
    let expected = json!({"kind": "unfilled_field", "severity": "warning", "dataset": "own", "model": "tiny", "count": 6,
        "of": 6, "first_sample": 0, "field": "qestion"});
    for (field, value) in expected.as_object().unwrap() {
        assert_eq!(found[field], *value, "{field}");
    }
    assert!(found["message"].as_str().unwrap().contains("did you mean {question}?"), "{found}");

    let scratch = case.scratch();
    let check = scratch.run(&["check", "config.py"]);
    let line =
        "warning: unfilled_field qestion: 6 of 6 samples (data set own, model tiny, sample 0): ";
    // Folded between words where it is printed.
    let unfolded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(unfolded(&stdout(&check)).contains(line.trim_end()), "{}", text(&check));
    let run = scratch.run(&["run", "config.py"]);
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    let (before, after) = (stderr(&run), stderr(&run));
    let before = before.split("outputs:").next().unwrap();
    let after = after.split("outputs:").nth(1).unwrap();
    assert!(before.contains(line) && after.contains(line), "{}", stderr(&run));
    let run = scratch.run(&["run", "config.py", "--json", "-w", "other"]);
    let outcome: Json = serde_json::from_str(&stdout(&run)).unwrap();
    assert_eq!(outcome["warnings"][0]["field"], "qestion");
}

#[test]
fn parts_of_a_column_and_fields_of_examples_are_fields_too() {
    let parts = "{l: '{question} {chioces.label} {choices[0]}: ' + l for l in ['A', 'B']}";
    let fields: Vec<Json> = counted(&Case { template: parts, ..Case::sane() }.scratch())
        .iter()
        .map(|own| own["field"].clone())
        .collect();
    assert_eq!(fields, ["chioces.label", "choices[0]"]);
    let examples = "retriever=dict(type='FixKRetriever', fix_id_list=[5]), ice_template=dict(type='PromptTemplate', \
                    template={l: '{qestion} ' + l for l in ['A', 'B']})";
    let rows = Case::sane().rows;
    let template = "{l: '</E>{question}: ' + l for l in ['A', 'B']}";
    let found = counted(&Case { template, examples, rows, ..Case::sane() }.scratch());
    let field = found.iter().find(|own| own["kind"] == "unfilled_field").unwrap();
    assert_eq!((field["field"].as_str(), field["count"].as_u64()), (Some("qestion"), Some(6)));
}

#[test]
fn what_the_data_says_in_braces_is_counted_where_it_is_filled_in() {
    let mut rows = Case::sane().rows;
    rows[2]["question"] = json!("is it {answer}?");
    rows[4]["question"] = json!("{more} or {less}");
    let found = counted(&Case { rows: rows.clone(), ..Case::sane() }.scratch());
    let told: Vec<_> = found
        .iter()
        .map(|own| (own["kind"].as_str(), own["field"].as_str(), &own["first_sample"]))
        .collect();
    let kind = Some("filled_data");
    assert_eq!(told, [(kind, Some("answer"), &json!(2)), (kind, Some("more"), &json!(4))]);
    // The gold is masked in a prompt that is continued, and what the data says is gone with it.
    let generated =
        Case { template: DIALOGUE, inferencer: "_gen", model: "_meta", rows, ..Case::sane() };
    assert_eq!(counted(&generated.scratch()).len(), 2);
    let examples = "retriever=dict(type='FixKRetriever', fix_id_list=[2]), ice_template=dict(type='PromptTemplate', \
                    template={l: '{question} ' + l for l in ['A', 'B']})";
    let template = "{l: '</E>{question}: ' + l for l in ['A', 'B']}";
    let mut rows = Case::sane().rows;
    rows[2]["question"] = json!("is it {answer}?");
    let found = counted(&Case { template, examples, rows, ..Case::sane() }.scratch());
    let filled = found.iter().find(|own| own["kind"] == "filled_data").unwrap();
    assert_eq!(filled["count"], 6, "{filled}");
    assert!(filled["message"].as_str().unwrap().contains("in-context example 1"), "{filled}");
    // A column that no prompt shows may say anything.
    let mut rows = Case::sane().rows;
    rows[2]["more"] = json!("{question} {answer}");
    assert!(counted(&Case { rows, ..Case::sane() }.scratch()).is_empty());
}

#[test]
fn an_example_that_is_the_row_itself_is_counted() {
    let examples = "retriever=dict(type='FixKRetriever', fix_id_list=[4, 2]), ice_template=dict(type='PromptTemplate', \
                    template={l: '{question} ' + l for l in ['A', 'B']})";
    let template = "{l: '</E>{question}: ' + l for l in ['A', 'B']}";
    let found = only(&Case { template, examples, ..Case::sane() });
    let counted = (&found["kind"], &found["count"], &found["of"], &found["first_sample"]);
    assert_eq!(counted, (&json!("own_example"), &json!(2), &json!(6), &json!(2)));
}

#[test]
fn a_chat_model_must_be_given_its_answer_in_its_own_turn() {
    let found = only(&Case { model: "_chat", ..Case::sane() });
    assert_eq!((&found["kind"], &found["count"]), (&json!("answer_in_user_turn"), &json!(6)));
    let human =
        "{l: dict(round=[dict(role='HUMAN', prompt='{question} ' + l)]) for l in ['A', 'B']}";
    let found = only(&Case { model: "_chat", template: human, ..Case::sane() });
    assert_eq!(found["kind"], "answer_in_user_turn");
}

#[test]
fn golds_that_nothing_can_equal_are_counted() {
    let with_golds = |golds: [Json; 3], case: Case| {
        let row = |gold: &Json| json!({"question": "the dog", "answer": gold});
        only(&Case { rows: golds.iter().map(row).collect(), ..case })
    };
    let found = with_golds([json!(0), json!(1), json!(0)], Case::sane());
    assert_eq!(
        (&found["kind"], &found["field"], &found["count"]),
        (&json!("unreachable_gold"), &json!("answer"), &json!(3))
    );
    assert!(found["message"].as_str().unwrap().contains("labels are A, B"), "{found}");
    let found = with_golds([json!("A"), json!("b"), json!("B")], Case::sane());
    assert_eq!((&found["count"], &found["first_sample"]), (&json!(1), &json!(1)));
    for rule in ["dict(type='first_option', options='AB')", "dict(type='first_capital')"] {
        let evaluation = format!("evaluator=dict(type='AccEvaluator'), pred_postprocessor={rule}");
        let generated = Case {
            inferencer: "_gen",
            template: "'{question}:'",
            evaluation: evaluation.leak(),
            ..Case::sane()
        };
        let found = with_golds([json!("a"), json!("b"), json!("A")], generated);
        assert_eq!(
            (&found["kind"], &found["count"]),
            (&json!("unreachable_gold"), &json!(2)),
            "{rule}"
        );
    }
}

#[test]
fn a_null_among_options_is_counted() {
    let options = "{l: '{question} {more[0]} ' + l for l in ['A', 'B']}";
    let mut rows = Case::sane().rows;
    for row in &mut rows {
        row["more"] = json!(["x", null]);
    }
    let found = only(&Case { template: options, rows, ..Case::sane() });
    assert_eq!((&found["kind"], &found["count"]), (&json!("null_cell"), &json!(6)), "{found}");
}

#[test]
fn null_and_missing_cells_are_counted_where_they_are_needed() {
    let mut rows = Case::sane().rows;
    rows[3]["question"] = Json::Null;
    rows[4].as_object_mut().unwrap().remove("question");
    rows[5]["more"] = Json::Null;
    let found = only(&Case { rows: rows.clone(), ..Case::sane() });
    let counted = (&found["kind"], &found["field"], &found["count"], &found["first_sample"]);
    assert_eq!(counted, (&json!("null_cell"), &json!("question"), &json!(2), &json!(3)));
    let mut rows = Case::sane().rows;
    rows[0]["answer"] = Json::Null;
    let case =
        Case { rows, template: DIALOGUE, inferencer: "_gen", model: "_meta", ..Case::sane() };
    assert_eq!(only(&case)["field"], "answer");
}

#[test]
fn predictions_that_are_no_labels_are_told_under_the_results() {
    let case = Case { inferencer: "_gen", template: "'{question}:'", ..Case::sane() };
    let scratch = case.scratch();
    let run = scratch.run(&["run", "config.py"]);
    let told = stderr(&run);
    assert!(told.contains("warning: unlike_predictions: 6 of 6 samples"), "{told}");
    assert!(told.contains("0 of 6 predictions look like a label (A, B)"), "{told}");
    assert_eq!(run.status.code(), Some(0), "{told}");
    let strict = scratch.run(&["run", "config.py", "--strict"]);
    assert_eq!(strict.status.code(), Some(2), "{}", stderr(&strict));
    assert!(stdout(&strict).contains("accuracy"), "{}", stdout(&strict));
}

#[test]
fn strict_ends_before_weights_are_read() {
    let case = Case { template: "{l: '{qestion} ' + l for l in ['A', 'B']}", ..Case::sane() };
    let scratch = case.scratch();
    for command in ["check", "run"] {
        let output = scratch.run(&[command, "config.py", "--strict"]);
        assert_eq!(output.status.code(), Some(2), "{command}: {}", text(&output));
        assert!(text(&output).contains("--strict"), "{}", text(&output));
    }
    assert!(!scratch.path().join("outputs").exists());
    let sane = Case::sane().scratch();
    for command in ["check", "run"] {
        assert_eq!(sane.run(&[command, "config.py", "--strict"]).status.code(), Some(0));
    }
}

#[test]
fn a_space_at_the_end_is_wrong_only_where_the_next_token_begins_with_one() {
    let asked = |answer: &str, template: &'static str| {
        let rows = (0..3)
            .map(|number| json!({"question": format!("{number}"), "answer": answer}))
            .collect();
        counted(&Case { rows, template, inferencer: "_gen", ..Case::sane() }.scratch())
    };
    let found = asked("A", "'{question}: '");
    assert_eq!((&found[0]["kind"], &found[0]["count"]), (&json!("trailing_space"), &json!(3)));
    // No token of this vocabulary is a space and a question mark.
    assert_eq!(asked("?", "'{question}: '"), Vec::<Json>::new());
    assert_eq!(asked("A", "'{question}:'"), Vec::<Json>::new());
}

#[test]
fn sane_data_sets_of_every_shape_are_not_warned_of() {
    let latex =
        r#"'\\boxed{answer} x_{i} x^{2} \\frac{a}{b} {"key": 1} {1} {two words} {question}:'"#;
    let few_shot = "retriever=dict(type='FixKRetriever', fix_id_list=[0]), ice_template=dict(type='PromptTemplate', \
                    template=dict(round=[dict(role='HUMAN', prompt='{question}'), dict(role='BOT', prompt='{answer}')]))";
    let begin = "dict(begin=[dict(role='SYSTEM', fallback_role='HUMAN', prompt='Say A or B.'), '</E>'], \
                 round=[dict(role='HUMAN', prompt='{question}'), dict(role='BOT', prompt='{answer}')])";
    let raw =
        "RAW[dict(role='system', content='Be short.'), dict(role='user', content='{question}')]";
    let chat = "evaluator=dict(type='AccEvaluator'), pred_postprocessor=dict(type='first_capital')";
    let sane = Case::sane();
    let rows_of_braces = vec![json!({"question": "{what} {is[0]} this", "answer": "A"}); 3];
    let cases = [
        Case { model: "_meta", ..sane.clone() },
        Case { template: DIALOGUES, ..sane.clone() },
        Case { template: DIALOGUES, model: "_meta", ..sane.clone() },
        Case { template: DIALOGUES, model: "_chat", ..sane.clone() },
        Case { template: latex, inferencer: "_gen", ..sane.clone() },
        Case { template: "'{question}\\n{answer}'", inferencer: "_gen", ..sane.clone() },
        Case { template: DIALOGUE, inferencer: "_gen", model: "_meta", ..sane.clone() },
        Case {
            template: DIALOGUE,
            inferencer: "_gen",
            model: "_chat",
            evaluation: chat,
            ..sane.clone()
        },
        Case {
            template: raw,
            inferencer: "_gen",
            model: "_chat",
            evaluation: chat,
            ..sane.clone()
        },
        Case {
            template: begin,
            examples: few_shot,
            inferencer: "_gen",
            model: "_meta",
            rows: sane.rows[1..].to_vec(),
            ..sane.clone()
        },
        Case {
            template: "'{question}:'",
            inferencer: "_gen",
            rows: rows_of_braces.clone(),
            ..sane.clone()
        },
        Case { rows: rows_of_braces, ..sane.clone() },
    ];
    for (index, case) in cases.into_iter().enumerate() {
        let mut found = counted(&case.scratch());
        // The only table is training and test split in one, and its first row its own example.
        found.retain(|own| own["kind"] != "own_example" || case.examples != few_shot);
        assert_eq!(found, Vec::<Json>::new(), "case {index}: {}", case.template);
    }
}

#[test]
fn a_template_that_shows_nothing_of_the_row_is_told() {
    let scratch = Scratch::new();
    let row = |row: usize| json!({"text": format!("once {row}"), "answer": "a"}).to_string();
    let rows = (0..3).map(row).collect::<Vec<_>>().join(
        "
",
    );
    scratch.write("data/rows.jsonl", &rows);
    for (template, is_told) in [("once", true), ("{0} {}", true), ("{text}", false)] {
        let config = CHOICES.replace("{text}", template);
        scratch.write("config.py", &config);
        let output = scratch.run(&["check", "config.py"]);
        let told = stdout(&output).contains("same_prompts");
        assert_eq!(told, is_told, "{template}: {}{}", stdout(&output), stderr(&output));
    }
}
