//! Faults planted into samples, written in both formats, read back and explained.

mod planted;

use std::sync::Arc;

use self::planted::{Fault, Planted, likeliest, lm_eval, opencompass, planted, rows};
use super::CauseKind;
use crate::diff::{
    Answer, DiffReport, Side, SideFormat, SideSettings,
    side::{Likelihoods, Request, SideSample},
};

const TOLERANCE: f64 = 1e-4;

fn report(left: &Side, right: &Side) -> DiffReport {
    DiffReport::of(["d", "m"], left, right, TOLERANCE, &|| None)
}

/// The likeliest cause of a fault in both formats.
fn explained(fault: Fault) -> [(CauseKind, String); 2] {
    let (plain, faulty) = (rows(), planted(fault));
    let reports = [
        report(&lm_eval(&plain), &lm_eval(&faulty)),
        report(&opencompass(&plain, true), &opencompass(&faulty, false)),
    ];
    reports.map(|report| {
        assert!(!report.agree);
        assert_eq!(report.pairing.paired, 12, "{:?}", report.pairing);
        let cause = report.likeliest().unwrap_or_else(|| panic!("{:?}", report.causes));
        (cause.kind, cause.sentence.clone())
    })
}

#[test]
fn equal_samples_agree_and_nothing_is_explained() {
    let plain = rows();
    let reports = [
        report(&lm_eval(&plain), &lm_eval(&plain)),
        report(&opencompass(&plain, true), &opencompass(&plain, false)),
    ];
    for report in reports {
        assert!(report.agree && report.causes.is_empty(), "{report:?}");
        assert_eq!((report.likelihoods.compared, report.predictions.compared), (36, 12));
    }
}

#[test]
fn a_mark_at_the_beginning_is_missing_or_stands_twice() {
    for (kind, sentence) in explained(|_, own| own.context = format!("<s>{}", own.context)) {
        assert_eq!(kind, CauseKind::Beginning);
        assert!(sentence.contains("\"<s>\" is missing on the other side"), "{sentence}");
        assert!(sentence.contains("in 36 of 36 prompts"), "{sentence}");
    }
    let double = |own: &str| lm_eval(&planted_text(own));
    let found = report(&double("<s>"), &double("<s><s>"));
    let cause = found.likeliest().unwrap();
    assert_eq!(cause.kind, CauseKind::Beginning);
    assert!(cause.sentence.contains("\"<s>\" stands twice"), "{}", cause.sentence);
}

fn planted_text(before: &str) -> Vec<Vec<Planted>> {
    let mut rows = rows();
    for own in rows.iter_mut().flatten() {
        own.context = format!("{before}{}", own.context);
    }
    rows
}

/// What a doubled BOS does to numbers where neither texts nor ids show it.
#[test]
fn an_offset_of_all_sums_is_a_token_at_the_beginning() {
    let found = explained(|index, own| {
        own.nats -= 3.2 + 0.01 * (index % 5) as f64;
        own.tokens += 1;
    });
    for (kind, sentence) in &found {
        assert_eq!(*kind, CauseKind::Beginning, "{sentence}");
        assert!(sentence.contains("-3.2"), "{sentence}");
    }
    assert!(found[1].1.contains("as if predictions.json had 1 token more"), "{}", found[1].1);
}

#[test]
fn ids_show_the_token_at_the_beginning() {
    let with_ids = |before: &[u32]| {
        let mut side = lm_eval(&rows());
        for (index, sample) in side.samples.iter_mut().enumerate() {
            for own in &mut sample.requests {
                own.ids = Some(Arc::from([before, &[100 + index as u32, 7, 8]].concat()));
            }
        }
        side
    };
    let found = report(&with_ids(&[1]), &with_ids(&[1, 1]));
    let cause = found.likeliest().unwrap();
    assert_eq!(cause.kind, CauseKind::Beginning);
    assert!(cause.sentence.contains("id 1 stands twice; samples.jsonl has it more in 36 of 36"));
    assert_eq!(found.prompts.first_ids.unwrap().token, 1);
    let found = report(&with_ids(&[1]), &with_ids(&[]));
    assert!(found.likeliest().unwrap().sentence.contains("id 1 is missing"));
}

#[test]
fn what_settings_say_explains_numbers_that_look_like_noise() {
    let noisy = |index: usize, own: &mut Planted| {
        own.nats *= 1.0 + 0.004 * ((index * 5 + own.tokens) % 7) as f64 + 0.001;
    };
    let mut left = lm_eval(&rows());
    for own in left.samples.iter_mut().flat_map(|sample| &mut sample.requests) {
        own.ids = Some(Arc::from([&[1], &[7; 40][..]].concat()));
    }
    let found = |settings: SideSettings| {
        let mut right = lm_eval(&planted(noisy));
        right.settings = settings;
        let report = report(&left, &right);
        let cause = report.likeliest().unwrap();
        (cause.kind, cause.explained, cause.sentence.clone(), report.notes.len())
    };
    let bos = Some(("<s>".to_owned(), 1));
    let stated = |adds: bool, window: usize| SideSettings {
        adds_bos: Some(adds),
        bos: bos.clone(),
        window_tokens: Some(window),
        ..SideSettings::default()
    };
    let (kind, explained, sentence, _) = found(stated(false, 512));
    assert_eq!((kind, explained), (CauseKind::Beginning, 36), "{sentence}");
    let (kind, explained, sentence, _) = found(stated(true, 39));
    assert_eq!((kind, explained), (CauseKind::Truncation, 36), "{sentence}");
    // The last token is never read: forty fit all but that one.
    let (kind, _, sentence, notes) = found(stated(true, 40));
    assert_eq!((kind, notes), (CauseKind::Noise, 0), "{sentence}");
    let (kind, _, _, notes) = found(SideSettings::default());
    assert_eq!((kind, notes), (CauseKind::Noise, 1), "it is said what is not known");
}

#[test]
fn delimiters_are_blanks_at_one_kind_of_place() {
    for (kind, sentence) in explained(|_, own| own.answer = own.answer.trim().to_owned()) {
        assert_eq!(kind, CauseKind::WhiteSpace, "{sentence}");
        // Where OpenCompass's answers begin is not in its files.
        assert!(
            sentence.contains("before the answer") || sentence.contains("within lines"),
            "{sentence}"
        );
        assert!(sentence.contains("\" \" in") && sentence.contains("\"\" in"), "{sentence}");
    }
    for (kind, sentence) in explained(|_, own| own.context = own.context.replace("\n\n", "\n")) {
        assert_eq!(kind, CauseKind::WhiteSpace, "{sentence}");
        assert!(sentence.contains("between lines or examples: \"\\n\\n\" in"), "{sentence}");
        assert!(sentence.contains("36 of 36"), "{sentence}");
    }
}

#[test]
fn a_prompt_that_lost_its_beginning_was_cut() {
    let found = explained(|index, own| {
        if index % 3 == 0 {
            own.context = own.context.split_off(15 + index);
            own.nats -= 1.0;
        }
    });
    for (kind, sentence) in found {
        assert_eq!(kind, CauseKind::Truncation, "{sentence}");
        assert!(sentence.contains("has only a part of the prompt in 12 of 12"), "{sentence}");
    }
}

#[test]
fn a_run_that_has_cut_tokens_says_so() {
    let mut left = lm_eval(&rows());
    for sample in &mut left.samples {
        sample.cut_tokens = 5;
    }
    let right = lm_eval(&planted(|index, own| own.nats -= 0.3 * (1 + index % 4) as f64));
    let found = report(&left, &right);
    assert_eq!(found.likeliest().unwrap().kind, CauseKind::Truncation, "{:?}", found.causes);
}

#[test]
fn marks_of_roles_on_one_side_are_a_chat_template() {
    let found = explained(|index, own| {
        own.context = format!(
            "<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n",
            own.context.replace("Question: ", "")
        );
        own.nats -= (index % 4) as f64;
    });
    for (kind, sentence) in found {
        assert_eq!(kind, CauseKind::ChatTemplate, "{sentence}");
        assert!(sentence.contains("<|im_start|>") && sentence.contains("36 of 36"), "{sentence}");
    }
}

#[test]
fn another_number_or_order_of_examples() {
    let found = explained(|_, own| {
        own.context = own.context.split_once("\n\n").unwrap().1.to_owned();
        own.nats -= 1.5;
    });
    for (kind, sentence) in found {
        assert_eq!(kind, CauseKind::Examples, "{sentence}");
        assert!(sentence.contains("2 blocks before the question in"), "{sentence}");
    }
    let found = explained(|_, own| {
        let blocks: Vec<&str> = own.context.split("\n\n").collect();
        own.context = [blocks[1], blocks[0], blocks[2]].join("\n\n");
    });
    for (kind, sentence) in found {
        assert_eq!(kind, CauseKind::Examples, "{sentence}");
        assert!(sentence.contains("Another order of examples"), "{sentence}");
    }
}

#[test]
fn the_same_words_everywhere_are_a_wording() {
    for (kind, sentence) in explained(|_, own| own.context = format!("Be brief. {}", own.context)) {
        assert_eq!(kind, CauseKind::Wording, "{sentence}");
        assert!(sentence.contains("\"Be brief. \""), "{sentence}");
    }
}

#[test]
fn small_differences_everywhere_are_rounding_and_large_ones_other_weights() {
    let found = explained(|index, own| own.nats += [0.02, -0.013, 0.007][index % 3]);
    for (kind, sentence) in found {
        assert_eq!(kind, CauseKind::Noise, "{sentence}");
        assert!(sentence.contains("36 of 36"), "{sentence}");
    }
    let found = explained(|index, own| {
        own.nats += [9.0, -11.0, 4.0, -5.0][(index + own.tokens) % 4];
    });
    for (kind, sentence) in found {
        assert_eq!(kind, CauseKind::Weights, "{sentence}");
    }
    let mut left = lm_eval(&rows());
    left.settings.dtype = Some("f32".to_owned());
    let mut right = lm_eval(&planted(|index, own| own.nats += [0.02, -0.013][index % 2]));
    right.settings.dtype = Some("bf16".to_owned());
    let found = report(&left, &right);
    let sentence = &found.likeliest().unwrap().sentence;
    assert!(sentence.contains("computed in f32") && sentence.contains("in bf16"), "{sentence}");
}

#[test]
fn another_choice_from_equal_numbers_is_another_normalisation() {
    let right = lm_eval(&rows());
    let mut left = right.clone();
    left.format = SideFormat::KeptRun;
    let by_chars = |sample: &SideSample| {
        let score = |own: &Request| {
            let chars = own.answer().unwrap().trim_start().chars().count();
            own.likelihoods.answer_nats.unwrap() / chars as f64
        };
        likeliest(sample.requests.iter().map(score))
    };
    for sample in &mut left.samples {
        sample.answer = Some(Answer::Choice(by_chars(sample)));
    }
    let found = report(&left, &right);
    let cause = found.likeliest().unwrap();
    assert_eq!(cause.kind, CauseKind::Normalisation);
    assert!(cause.sentence.contains("the answer's mean per character"), "{}", cause.sentence);
    assert!(cause.sentence.contains("the sum over the answer"), "{}", cause.sentence);
    assert_eq!(found.predictions.changed.len(), cause.explained);
}

/// Samples that were continued: what was written, and what is taken for the answer.
fn written(samples: &[(&str, &str)]) -> Side {
    let sample = |(number, (text, answer)): (usize, &(&str, &str))| {
        let request = Request {
            text: format!("Question {number}"),
            generated: Some((*text).to_owned()),
            likelihoods: Likelihoods::default(),
            ..Request::default()
        };
        let answer = Some(Answer::Text((*answer).to_owned()));
        SideSample { number, requests: vec![request], answer, ..SideSample::default() }
    };
    Side {
        name: "side".to_owned(),
        format: SideFormat::LmEval,
        settings: SideSettings::default(),
        samples: samples.iter().enumerate().map(sample).collect(),
        figures: Vec::new(),
        notes: Vec::new(),
    }
}

#[test]
fn what_is_done_behind_the_model_is_told_apart() {
    let left = written(&[("so 7.", "7"), ("it is 8\n", "8"), ("nine", "[invalid]")]);
    let found = report(&left, &written(&[("so 7.", "7."), ("it is 8\n", "8"), ("nine", "9")]));
    let cause = found.likeliest().unwrap();
    assert_eq!((cause.kind, cause.explained, cause.of), (CauseKind::PostProcessing, 2, 2));
    assert_eq!(found.predictions.changed.len(), 2);

    let found = report(
        &left,
        &written(&[("so 7. And", "7"), ("it is 8", "8"), ("nine\n\nQ", "[invalid]")]),
    );
    let cause = found.likeliest().unwrap();
    assert_eq!((cause.kind, cause.explained, cause.of), (CauseKind::Stopping, 3, 3));

    let found = report(&left, &written(&[("other", "1"), ("words", "2"), ("here", "3")]));
    assert!(!found.agree && found.likeliest().is_none(), "{:?}", found.causes);
}
