//! Ready benchmarks with images under a small model here that sees.

use std::fs;

use serde_json::{Value as Json, json};

use super::scratch::{Scratch, fixtures, stderr, stdout};
use crate::ready_benchmarks::images::{Shown, all, config};

const IMAGES: &str = "<|vision_start|>";

/// The path of a small model that sees.
fn model() -> String {
    fixtures().join("vision/models/qwen2_5_vl").to_string_lossy().into_owned()
}

/// Runs a config on the rows of a benchmark: what was told, its samples and its candidates.
fn ran(
    scratch: &Scratch,
    shown: &Shown,
    name: &str,
    more: &[&str],
) -> (String, Vec<Json>, Vec<Json>) {
    let (config, model) = (config(name), model());
    let arguments = ["run", &config, "--model", &model, "--dataset", shown.dataset, "-w", "out"];
    let output = scratch.run(&[&arguments[..], more].concat());
    assert_eq!(output.status.code(), Some(0), "{name}: {}", stderr(&output));
    (stderr(&output), scratch.export("out", "samples"), scratch.export("out", "candidates"))
}

#[test]
fn every_config_asks_what_its_rows_say() {
    for shown in all() {
        let scratch = Scratch::new();
        shown.lay_out(&scratch);
        let name = shown.written();
        let (told, samples, _) = ran(&scratch, &shown, &name, &[]);
        assert!(told.contains("because the data sets show images"), "{told}");
        assert_eq!(samples.len(), shown.rows.len(), "{name}");
        for (row, sample) in shown.rows.iter().zip(&samples) {
            let prompt = sample["prompt"].as_str().unwrap();
            let text = format!("{}{}", row.text, shown.wanted());
            assert!(prompt.contains(&format!("{text}<|im_end|>")), "{name}: {prompt}");
            assert_eq!(prompt.matches(IMAGES).count(), row.images, "{name}: {prompt}");
            assert_eq!(sample["compared_gold"], json!(row.gold), "{name}");
            assert_eq!(sample["error"], Json::Null, "{name}");
        }
        if !shown.compares {
            continue;
        }
        let (_, samples, candidates) = ran(&scratch, &shown, shown.config, &[]);
        for (place, row) in shown.rows.iter().enumerate() {
            let own: Vec<&Json> = candidates.iter().filter(|line| line["row"] == place).collect();
            assert_eq!(own.len(), row.options, "{}", shown.config);
            for (candidate, letter) in own.iter().zip('A'..) {
                let prompt = candidate["prompt"].as_str().unwrap();
                let asked = format!("{}\nWhich option is right?<|im_end|>", row.text);
                let answer = format!("<|im_start|>assistant\n{letter}<|im_end|>");
                assert!(prompt.contains(&asked) && prompt.contains(&answer), "{prompt}");
                assert_eq!(prompt.matches(IMAGES).count(), row.images, "{prompt}");
                assert_eq!(candidate["label"], json!(letter.to_string()));
                assert_eq!(candidate["is_gold"], json!(row.gold == letter.to_string()));
            }
            let chosen = own.iter().find(|line| line["is_chosen"] == true).unwrap();
            assert_eq!(samples[place]["prediction"], chosen["label"], "{}", shown.config);
        }
    }
}

#[test]
fn a_limit_keeps_the_images_of_its_rows_alone() {
    for (place, images) in [(0, 2), (1, 7), (2, 2), (3, 4), (4, 1), (5, 2), (6, 2), (7, 2)] {
        let shown = all().remove(place);
        let scratch = Scratch::new();
        shown.lay_out(&scratch);
        let name = shown.written();
        let (_, samples, _) = ran(&scratch, &shown, &name, &["--limit", "2"]);
        assert_eq!(samples.len(), 2, "{name}");
        let folder = scratch.cache().join("images");
        let folders = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let kept: usize = folders.map(|folder| fs::read_dir(folder).unwrap().count()).sum();
        // The rows of MMMU and ScienceQA that are left out are known once they were read.
        let most = if place == 2 { images + 1 } else { images };
        assert!((1..=most).contains(&kept), "{name}: {kept} images");
    }
}

#[test]
fn rows_that_cannot_be_shown_are_named() {
    let scratch = Scratch::new();
    let refused = |rows: &[Json], wanted: &[&str]| {
        let text = rows.iter().fold(String::new(), |text, row| text + &row.to_string() + "\n");
        scratch.write("lmms-lab/ChartQA/test.jsonl", &text);
        let (config, model) = (config("chart_qa"), model());
        let output = scratch.run(&["run", &config, "--model", &model, "-w", "out"]);
        assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
        let told = stderr(&output);
        assert!(wanted.iter().all(|own| told.contains(own)), "{wanted:?}: {told}");
    };
    let row = json!({"type": "human_test", "question": "Q", "answer": "1",
        "image": fixtures().join("vision/images/rgb.png")});
    let changed = |change: &dyn Fn(&mut Json)| {
        let mut own = row.clone();
        change(&mut own);
        vec![row.clone(), own]
    };
    let without = |name: &'static str| {
        changed(&move |own: &mut Json| drop(own.as_object_mut().unwrap().remove(name)))
    };
    let lost: Vec<Json> = without("image")[1..].to_vec();
    refused(&lost, &["chart_qa", "row 1", "there is no `image`"]);
    let lost: Vec<Json> = without("answer")[1..].to_vec();
    refused(&lost, &["chart_qa", "`answer`"]);
    refused(
        &changed(&|own: &mut Json| own["image"] = "gone.png".into()),
        &["row 2", "`image`", "gone.png"],
    );
    refused(&changed(&|own: &mut Json| own["question"] = 7.into()), &["column `question`"]);
    scratch.write("broken.png", "");
    let broken = scratch.path().join("broken.png");
    let png = fs::read(fixtures().join("vision/images/rgb.png")).unwrap();
    fs::write(&broken, &png[..png.len() / 2]).unwrap();
    refused(
        &changed(&|own: &mut Json| own["image"] = "broken.png".into()),
        &["data set chart_qa", "sample 1", "broken.png"],
    );
    refused(&[], &["test.jsonl", "the data set is empty"]);
}
