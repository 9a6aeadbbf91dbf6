//! Prompts: any values as templates, meta templates and samples; filling of fields.

use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Value as Json, json};
use surprisal::{
    config::{Component, Node, Value},
    dataset::Sample,
    prompt::{
        ApiTemplate, DialogueMode, Label, Markup, MetaTemplate, Mode, MultiTurn, Prompt,
        PromptAssembly, PromptTemplate, build,
    },
    python::{python_repr, python_str},
};

use crate::{
    explore,
    node::{dict, json_value, template, word},
};

#[test]
fn every_row_fills_every_text() {
    explore((vec(word(), 0..6), sample()), |(words, sample)| {
        let template = dict([("template", Value::Str(words.concat()))], []);
        let template = PromptTemplate::from_node(&template).unwrap();
        let assembly = PromptAssembly::new(None, Some(template), "\n", "").unwrap();
        let none = Prompt::Text(String::new());
        let label = Label::new(json!("A"));
        assert!(assembly.generation(sample, &none, Some("answer"), "").is_ok());
        assert!(assembly.candidate(sample, &none, &label, true).is_ok());
        for (_, value) in sample.iter() {
            assert!(
                !python_repr(value).is_empty()
                    && python_str(value).len() <= python_repr(value).len()
            );
        }
    });
}

#[test]
fn any_value_is_a_template_or_an_error() {
    let case = (template_of_kind(), template_of_kind(), template(), vec(sample(), 3), word());
    explore(case, |(ice, main, meta, samples, column)| {
        let read = |node: &Node| build(&Component::parse(node).ok()?).ok();
        let (ice, main) = (read(ice), read(main));
        if let Ok(assembly) = PromptAssembly::new(ice, main, "\n", "</eos>") {
            for prompt in prompts(&assembly, samples, column) {
                write_out(&prompt, &markups(meta));
            }
        }
    });
}

fn sample() -> impl Strategy<Value = Sample> {
    vec((word(), json_value()), 0..5).prop_map(Sample::new)
}

fn template_of_kind() -> impl Strategy<Value = Node> {
    let kinds =
        ["PromptTemplate", "RawPromptTemplate", "MultiTurnPromptTemplate", "MMPromptTemplate"];
    let tokens = (any::<bool>(), any::<bool>());
    (select(kinds.to_vec()), template(), tokens).prop_map(
        |(kind, template, (ice_token, sep_token))| {
            let body = if kind == "RawPromptTemplate" { "messages" } else { "template" };
            let tokens = [(ice_token, "ice_token", "</E>"), (sep_token, "sep_token", "</S>")];
            let tokens = tokens.into_iter().filter(|(is_given, _, _)| *is_given);
            dict(
                [("type", Value::Str(kind.to_owned())), (body, template.value)],
                tokens.map(|(_, name, token)| (name.to_owned(), Value::Str(token.to_owned()))),
            )
        },
    )
}

/// Every prompt that an assembly gives, with examples and without.
fn prompts(assembly: &PromptAssembly, samples: &[Sample], column: &str) -> Vec<Prompt> {
    let Some((sample, shown)) = samples.split_first() else { return Vec::new() };
    let golds: Vec<&Json> = samples.iter().filter_map(|sample| sample.get(column)).collect();
    let mut labels = assembly.labels(golds.into_iter());
    labels.truncate(3);
    labels.push(Label::new(json!("A")));
    let shown: Vec<&Sample> = shown.iter().collect();
    let mut prompts = Vec::new();
    for shown in [&shown[..0], &shown[..]] {
        let Ok(examples) = assembly.examples(shown, Some(column)) else { continue };
        prompts.extend(assembly.generation(sample, &examples, Some(column), ""));
        for label in &labels {
            prompts.extend(assembly.candidate(sample, &examples, label, true));
        }
    }
    prompts
}

fn markups(meta: &Node) -> Vec<Markup> {
    let mut markups = vec![Markup::Lines, Markup::Chat(Box::new(ApiTemplate::hugging_face()))];
    markups.extend(MetaTemplate::from_node(meta).map(|meta| Markup::Meta(Box::new(meta))));
    markups.extend(ApiTemplate::from_node(meta).map(|api| Markup::Chat(Box::new(api))));
    markups
}

fn write_out(prompt: &Prompt, markups: &[Markup]) {
    for mode in [Mode::Gen, Mode::Ppl] {
        for markup in markups {
            if let Err(error) = markup.rendered(prompt, mode) {
                assert!(!error.to_string().is_empty());
            }
        }
    }
    for mode in [DialogueMode::Every, DialogueMode::EveryWithGt, DialogueMode::Last] {
        let Ok(mut dialogue) = MultiTurn::new(prompt.clone(), mode) else { continue };
        for turn in 0.. {
            assert!(turn < 100, "a dialogue without end");
            let Some(request) = dialogue.request() else { break };
            let _ = markups[0].rendered(&request, Mode::Gen);
            dialogue.answered("{question}");
        }
    }
}
