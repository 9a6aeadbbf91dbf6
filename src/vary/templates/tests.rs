//! Templates in one format, turned into another.

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::*;
use crate::vary::grammar::{
    BRACKETS, Brackets, CASINGS, Casing, NUMERALS, Numerals, OPTION_JOINTS, Role, SEPARATORS,
    SPACINGS, Separator, WORDS, Words,
};

/// A format in full.
#[derive(Clone, Copy, Debug)]
struct Written {
    separator: Separator,
    spacing: &'static str,
    casing: Casing,
    words: Words,
    numerals: Numerals,
    brackets: Brackets,
    options: &'static str,
}

impl Written {
    fn wording(self) -> Wording {
        Wording {
            separator: Some(self.separator),
            spacing: Some(self.spacing),
            casing: Some(self.casing),
            words: Some(self.words),
            own_casing: None,
            enumeration: Some((self.numerals, self.brackets)),
            options: Some(self.options),
        }
    }

    fn descriptor(self, role: Role, tail: &str) -> String {
        let words = self.casing.written(self.words.of(role));
        format!("{words}{}{tail}", self.separator.mark)
    }

    /// A question with so many options, with a heading before them or not, ended by the numeral of one.
    fn text(self, options: usize, has_heading: bool, answer: Option<usize>) -> String {
        let numeral = |index| self.numerals.symbol(index).unwrap();
        let list: Vec<String> = (0..options)
            .map(|index| format!("{} {{o{index}}}", self.brackets.around(&numeral(index))))
            .collect();
        let mut parts = vec![self.descriptor(Role::Question, self.separator.tail) + "{question}"];
        if has_heading {
            parts.push(self.descriptor(Role::Options, "\n") + &list.join(self.options));
        } else {
            parts.push(list.join(self.options));
        }
        parts.push(match answer {
            Some(index) => self.descriptor(Role::Answer, self.separator.tail) + &numeral(index),
            None => self.descriptor(Role::Answer, ""),
        });
        parts.join(self.spacing)
    }

    /// `infer_cfg` with labels, or without.
    fn infer_cfg(self, options: usize, has_heading: bool, has_labels: bool) -> Node {
        let template = |before: &str| -> Json {
            if has_labels {
                let form = |index: usize| {
                    let text = self.text(options, has_heading, Some(index));
                    (format!("label {index}"), json!(format!("{before}{text}")))
                };
                (0..options).map(form).collect::<serde_json::Map<_, _>>().into()
            } else {
                json!(format!("{before}{}", self.text(options, has_heading, None)))
            }
        };
        Node::from_json(&json!({
            "ice_template": {"type": "PromptTemplate", "template": template("")},
            "prompt_template": {
                "type": "PromptTemplate", "template": template("Be brief.\n</E>"), "ice_token": "</E>",
            },
        }))
    }
}

fn any_format() -> impl Strategy<Value = Written> {
    let one = |count: usize| 0..count;
    let places = (
        one(SEPARATORS.len()),
        one(SPACINGS.len()),
        one(CASINGS.len()),
        one(WORDS.len()),
        one(NUMERALS.len()),
        one(BRACKETS.len()),
        one(OPTION_JOINTS.len()),
    );
    places.prop_map(|(separator, spacing, casing, words, numerals, brackets, options)| Written {
        separator: SEPARATORS[separator],
        spacing: SPACINGS[spacing],
        casing: CASINGS[casing],
        words: WORDS[words],
        numerals: NUMERALS[numerals],
        brackets: BRACKETS[brackets],
        options: OPTION_JOINTS[options],
    })
}

proptest! {
    #[test]
    fn a_template_in_the_format_that_it_has_is_the_same_bytes(
        own in any_format(), options in 2_usize..5, heading: bool, labels: bool,
    ) {
        let infer_cfg = own.infer_cfg(options, heading, labels);
        let templates = Templates::of(&infer_cfg);
        prop_assert_eq!(&templates.reworded(&infer_cfg, &Wording::default()), &infer_cfg);
    }

    #[test]
    fn any_format_turns_into_any_other(
        own in any_format(), other in any_format(), options in 2_usize..5, heading: bool,
        labels: bool, line in 0_usize..2,
    ) {
        // What is to be recognised stands at the beginning of a line.
        let own = Written { spacing: SPACINGS[line], ..own };
        let infer_cfg = own.infer_cfg(options, heading, labels);
        let templates = Templates::of(&infer_cfg);
        let found = templates.reworded(&infer_cfg, &other.wording());
        let expected = other.infer_cfg(options, heading, labels);
        prop_assert_eq!(crate::config::repr(&found), crate::config::repr(&expected));
        prop_assert_eq!(templates.reworded(&infer_cfg, &own.wording()), infer_cfg);
    }
}

#[test]
fn turns_are_reworded_and_keep_their_roles() {
    let round = |answer: &str| {
        json!({"round": [
            {"role": "HUMAN", "prompt": "Question: {q}\n(A) {x}\n(B) {y}\nAnswer: "},
            {"role": "BOT", "prompt": answer},
        ]})
    };
    let infer_cfg = Node::from_json(&json!({"prompt_template": {
        "type": "PromptTemplate", "template": {"x": round("(A)"), "y": round("(B)")}}}));
    let wording = Wording {
        separator: Some(SEPARATORS[3]),
        enumeration: Some((Numerals::Digits, BRACKETS[0])),
        ..Wording::default()
    };
    let found = Templates::of(&infer_cfg).reworded(&infer_cfg, &wording).to_json();
    let forms = &found["prompt_template"]["template"];
    assert_eq!(
        forms["y"]["round"],
        json!([
            {"role": "HUMAN", "prompt": "Question : {q}\n1. {x}\n2. {y}\nAnswer : "},
            {"role": "BOT", "prompt": "2."},
        ])
    );
    assert_eq!(forms["x"]["round"][1], json!({"role": "BOT", "prompt": "1."}));
}

#[test]
fn messages_are_texts_too() {
    let infer_cfg = Node::from_json(&json!({"prompt_template": {
        "type": "RawPromptTemplate",
        "messages": [{"role": "system", "content": "Q: {q}"}, {"role": "user", "content": "A: {a}"}],
    }}));
    let wording = Wording { casing: Some(Casing::Lower), ..Wording::default() };
    let found = Templates::of(&infer_cfg).reworded(&infer_cfg, &wording).to_json();
    assert_eq!(found["prompt_template"]["messages"][1]["content"], json!("a: {a}"));
}

#[test]
fn answers_that_are_no_numerals_stay() {
    let infer_cfg = Node::from_json(&json!({"prompt_template": {
        "type": "PromptTemplate", "template": {
            "x": "Q: {q}\nA. {a}\nB. {b}\nAnswer: {a}", "y": "Q: {q}\nA. {a}\nB. {b}\nAnswer: {b}"}}}));
    let enumeration = Some((Numerals::Digits, BRACKETS[1]));
    let wording = Wording { enumeration, ..Wording::default() };
    let found = Templates::of(&infer_cfg).reworded(&infer_cfg, &wording).to_json();
    let text = &found["prompt_template"]["template"]["y"];
    assert_eq!(*text, json!("Q: {q}\n(1) {a}\n(2) {b}\nAnswer: {b}"));
}
