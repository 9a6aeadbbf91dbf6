//! What keeps elements of texts from varying.

use serde_json::{Value as Json, json};

use super::*;
use crate::config::Node;

fn readers() -> Readers<'static> {
    Readers { stops: vec![], postprocessor_texts: vec![], reads: None, output_column: None }
}

fn found(template: &Json, readers: &Readers<'_>) -> (Vec<Element>, Vec<NotVaried>) {
    let infer_cfg = Node::from_json(
        &json!({"prompt_template": {"type": "PromptTemplate", "template": template}}),
    );
    let (axes, refused) = text_axes(&Templates::of(&infer_cfg), readers);
    (axes.iter().map(|axis| axis.element).collect(), refused)
}

fn labelled(before: &str) -> Json {
    json!({"A": format!("{before}A"), "B": format!("{before}B")})
}

const PLAIN: &str = "Question: {q}\nA. {A}\nB. {B}\nAnswer: ";

fn reason(refused: &[NotVaried], element: Element) -> String {
    let own = refused.iter().find(|own| own.element == element);
    own.map(|own| own.reason.clone()).unwrap_or_default()
}

#[test]
fn everything_may_vary_where_nothing_else_reads_it() {
    let (elements, refused) = found(&labelled(PLAIN), &readers());
    assert_eq!((elements.len(), refused.len()), (7, 0), "{elements:?} {refused:?}");
}

#[test]
fn what_is_not_there_is_told() {
    let (elements, refused) = found(&json!("{q}\n{a}"), &readers());
    assert_eq!(elements, []);
    assert!(reason(&refused, Element::Numerals).contains("no enumerated options"));
    assert!(reason(&refused, Element::Separator).contains("no descriptor"));
}

#[test]
fn numerals_that_a_sentence_names_stay() {
    for (before, is_named) in [
        ("Answer with A or B.\n", true),
        ("Reply (A) if so.\n", true),
        ("Choose one.\n", false),
        // An article.
        ("A question follows. Read a while.\n", false),
    ] {
        let (elements, refused) = found(&labelled(&format!("{before}{PLAIN}")), &readers());
        assert_eq!(!elements.contains(&Element::Numerals), is_named, "{before}");
        let why = reason(&refused, Element::Numerals);
        assert_eq!(why.starts_with("the text names option"), is_named, "{before} {why}");
        assert!(elements.contains(&Element::Brackets), "{before}");
    }
}

#[test]
fn stops_and_postprocessors_keep_the_words_they_read() {
    let stops = Readers { stops: vec!["\nQuestion:".to_owned()], ..readers() };
    let (elements, refused) = found(&labelled(PLAIN), &stops);
    assert!(!elements.contains(&Element::Separator) && elements.contains(&Element::Spacing));
    assert!(reason(&refused, Element::Words).contains("ends a continuation"));
    let texts = vec!["answer: (.*)".to_owned()];
    let rule = Readers { postprocessor_texts: texts, ..readers() };
    let (_, refused) = found(&labelled(PLAIN), &rule);
    assert!(reason(&refused, Element::Casing).starts_with("the post-processor names"));
}

#[test]
fn replies_must_be_read_as_the_same_answer() {
    // Reads the first capital letter.
    let reads = |text: &str| {
        text.chars().find(char::is_ascii_uppercase).map(String::from).unwrap_or_default()
    };
    let own = Readers { reads: Some(&reads), ..readers() };
    let (elements, refused) = found(&json!(PLAIN), &own);
    assert!(!elements.contains(&Element::Numerals) && elements.contains(&Element::Brackets));
    assert!(reason(&refused, Element::Numerals).contains("would not be read"), "{refused:?}");
    // Reads the whole reply.
    let reads = |text: &str| text.to_owned();
    let (elements, refused) = found(&json!(PLAIN), &Readers { reads: Some(&reads), ..readers() });
    assert!(!elements.contains(&Element::Brackets) && elements.contains(&Element::Options));
    assert!(reason(&refused, Element::Brackets).contains("would not be read"), "{refused:?}");
}

#[test]
fn rows_that_may_name_options_are_counted() {
    let rows = ["both B and C", "vitamins", "B", "ABC", "a B-side"].map(|text| {
        Sample::new(vec![("text".to_owned(), text.into()), ("answer".to_owned(), "C".into())])
    });
    let own = |numerals| Enumeration { numerals, brackets: BRACKETS[0], options: 3 };
    assert_eq!(rows_with_letters(&rows, own(Numerals::Upper)), 2);
    assert_eq!(rows_with_letters(&rows, own(Numerals::Digits)), 0);
}

#[test]
fn a_column_that_writes_answers_keeps_the_numerals() {
    let own = Readers { output_column: Some("gold"), ..readers() };
    let (elements, refused) = found(&json!(format!("{PLAIN}{{gold}}")), &own);
    assert!(!elements.contains(&Element::Numerals));
    assert!(reason(&refused, Element::Numerals).starts_with("{gold} writes"), "{refused:?}");
}
