//! Benchmarks with images: which pictures and which text each row shows, what was replied, and the figures of these replies.
//!
//! The rows are those that `image_rows.py` writes, in the files and columns of the published repositories. Texts and figures are worked
//! out by hand from the rows and from what is published of the metrics.

use std::path::Path;

use crate::cli::scratch::{Scratch, copy_folder, fixtures};

/// A benchmark with its rows.
pub(crate) struct Shown {
    /// The config without the ending `_gen`.
    pub(crate) config: &'static str,
    /// Whether there is a config that compares letters by their surprisal, beside the one with `_gen`.
    pub(crate) compares: bool,
    /// The part of its data sets' names that picks one of them.
    pub(crate) dataset: &'static str,
    /// Where its rows are on the hub.
    pub(crate) repository: &'static str,
    pub(crate) rows: Vec<ShownRow>,
    /// Figures of the replies, some of those that the metric has.
    pub(crate) figures: Vec<(&'static str, f64)>,
}

/// A row that is asked about.
pub(crate) struct ShownRow {
    /// How many images it shows.
    pub(crate) images: usize,
    /// What is asked, up to how the answer is wanted.
    pub(crate) text: &'static str,
    /// How many options it has; none where it is answered in words.
    pub(crate) options: usize,
    /// The gold: its letter, or the texts of it.
    pub(crate) gold: &'static str,
    pub(crate) reply: &'static str,
}

impl Shown {
    /// The config in which an answer is written.
    pub(crate) fn written(&self) -> String {
        format!("{}{}", self.config, if self.compares { "_gen" } else { "" })
    }

    /// How the wanted answer is named in that config.
    pub(crate) fn wanted(&self) -> &'static str {
        match self.config {
            "pope" => "\nReply with yes or no alone.",
            "chart_qa" => "\nReply with the answer alone: a number or a few words.",
            "doc_vqa" => "\nReply with the words of the page alone.",
            "ocr_bench" => "",
            _ => "\nReply with the letter of the right option alone.",
        }
    }

    /// Lays its files out as the repository has them, below the folder that is run in.
    pub(crate) fn lay_out(&self, scratch: &Scratch) {
        let from = fixtures().join("image_benchmarks").join(self.repository);
        copy_folder(&from, &scratch.path().join(self.repository));
    }
}

/// The path of a ready config.
pub(crate) fn config(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/benchmarks");
    folder.join(format!("{name}.py")).to_string_lossy().into_owned()
}

/// All of them.
pub(crate) fn all() -> Vec<Shown> {
    vec![mm_bench(), mmmu(), science_qa(), seed_bench(), pope(), chart_qa(), doc_vqa(), ocr_bench()]
}

fn letters(
    images: usize,
    text: &'static str,
    options: usize,
    gold: &'static str,
    reply: &'static str,
) -> ShownRow {
    ShownRow { images, text, options, gold, reply }
}

fn words(text: &'static str, gold: &'static str, reply: &'static str) -> ShownRow {
    ShownRow { images: 1, text, options: 0, gold, reply }
}

/// Two questions have their options turned once; the second is right in one turn alone. Hints that are missing are not written.
fn mm_bench() -> Shown {
    Shown {
        config: "mm_bench",
        compares: true,
        dataset: "mm_bench",
        repository: "lmms-lab/MMBench",
        rows: vec![
            letters(1, "Which is größer?\nA. left\nB. right", 2, "A", "A"),
            letters(
                1,
                "Look well.\nWhat colour?\nA. red\nB. green\nC. blue\nD. pink",
                4,
                "C",
                "C.",
            ),
            letters(1, "How many?\nA. one\nB. two\nC. three", 3, "B", "(B)"),
            letters(1, "Which is größer?\nA. right\nB. left", 2, "B", "The answer is B."),
            letters(1, "Look well.\nWhat colour?\nA. pink\nB. red\nC. green\nD. blue", 4, "D", "A"),
        ],
        figures: vec![
            ("accuracy", 200.0 / 3.0),
            ("vanilla_accuracy", 100.0),
            ("accuracy_relation", 100.0),
            ("accuracy_colour", 50.0),
        ],
    }
}

/// Images are those that the question or its options name; the open question is left out.
fn mmmu() -> Shown {
    Shown {
        config: "mmmu",
        compares: true,
        dataset: "mmmu*Art",
        repository: "MMMU/MMMU",
        rows: vec![
            letters(1, "Who painted <image 1>?\nA. Ada\nB. Bo's\nC. Cy\nD. Di", 4, "B", "B"),
            letters(
                7,
                "Which is like <image 1> and <image 2>?\nA. <image 3>\nB. <image 4>\nC. <image 5>\nD. <image 6>\nE. <image 7>",
                5,
                "E",
                "I think it is D",
            ),
            letters(1, "Wie groß ist <image 2>?\nA. 東京\nB. $\\frac{1}{2}$", 2, "A", "A."),
        ],
        figures: vec![("accuracy", 200.0 / 3.0)],
    }
}

/// Two of five rows have no image and are left out.
fn science_qa() -> Shown {
    Shown {
        config: "science_qa",
        compares: true,
        dataset: "science_qa",
        repository: "derek-thomas/ScienceQA",
        rows: vec![
            letters(1, "Look.\nWhich is hot?\nA. ice\nB. fire", 2, "B", "B"),
            letters(1, "Which of five?\nA. p\nB. q\nC. r\nD. s\nE. t", 5, "E", "E."),
            letters(1, "Which is grey?\nA. ash\nB. sea\nC. sun", 3, "A", "B"),
        ],
        figures: vec![("accuracy", 200.0 / 3.0)],
    }
}

fn seed_bench() -> Shown {
    Shown {
        config: "seed_bench",
        compares: true,
        dataset: "seed_bench",
        repository: "lmms-lab/SEED-Bench",
        rows: vec![
            letters(1, "How many towels?\nA. one\nB. two\nC. thrée\nD. four", 4, "A", "A"),
            letters(3, "What happens?\nA. one\nB. two\nC. thrée\nD. four", 4, "D", "Answer: D"),
            letters(1, "Where?\nA. one\nB. two\nC. thrée\nD. four", 4, "C", "B"),
        ],
        figures: vec![("accuracy", 200.0 / 3.0)],
    }
}

/// Two hits, a false alarm, a miss, a right no, and an answer that says both.
fn pope() -> Shown {
    Shown {
        config: "pope",
        compares: false,
        dataset: "pope",
        repository: "lmms-lab/POPE",
        rows: vec![
            words("Is there a dog in the image?", "yes", "Yes, there is."),
            words("Is there a cat in the image?", "no", "yes"),
            words("Is there a car in the image?", "yes", "No"),
            words("Is there a cup in the image?", "no", "no."),
            words("Is there a hat in the image?", "yes", "YES"),
            words("Is there a pen in the image?", "no", "Yes or no, who knows."),
        ],
        figures: vec![
            ("accuracy", 50.0),
            ("precision", 200.0 / 3.0),
            ("recall", 200.0 / 3.0),
            ("f1_score", 200.0 / 3.0),
            ("yes_ratio", 50.0),
            ("unread", 1.0),
            ("accuracy_adversarial", 50.0),
            ("yes_ratio_adversarial", 100.0),
            ("accuracy_popular", 50.0),
            ("recall_popular", 0.0),
            ("accuracy_random", 50.0),
            ("precision_random", 100.0),
        ],
    }
}

/// Numbers within 5 % of the gold, also with a per cent sign on one side; a gold of zero and accents are text.
fn chart_qa() -> Shown {
    Shown {
        config: "chart_qa",
        compares: false,
        dataset: "chart_qa",
        repository: "lmms-lab/ChartQA",
        rows: vec![
            words("How many food items?", "14", "14.6"),
            words("What colour is the peak?", "Gray", "gray"),
            words("What was the share in 2019?", "57.5%", "0.6"),
            words("Which land had 1,200?", "Côte d'Ivoire", "Cote d'Ivoire"),
            words("What is the difference?", "0", "0.0"),
        ],
        figures: vec![
            ("relaxed_accuracy", 60.0),
            ("relaxed_accuracy_human_test", 200.0 / 3.0),
            ("relaxed_accuracy_augmented_test", 50.0),
        ],
    }
}

/// Six edits of 24 letters, and two of six.
fn doc_vqa() -> Shown {
    Shown {
        config: "doc_vqa",
        compares: false,
        dataset: "doc_vqa",
        repository: "lmms-lab/DocVQA",
        rows: vec![
            words("What is the ‘actual’ value?", "['0.28']", "0.28"),
            words("Which university?", "['university of california', 'UC']", "Univ. of California"),
            words("Which date?", "['12 mai']", "13 may"),
        ],
        figures: vec![("anls", 100.0 * (1.0 + 18.0 / 24.0 + 4.0 / 6.0) / 3.0)],
    }
}

/// A gold that stands in the answer is a point; in a formula blanks do not count.
fn ocr_bench() -> Shown {
    Shown {
        config: "ocr_bench",
        compares: false,
        dataset: "ocr_bench",
        repository: "echo840/OCRBench",
        rows: vec![
            words("What is written here?", "['CENTRE']", "It says: Centre."),
            words("Which number is here?", "['042']", "42"),
            words("What does the sign say?", "['stop', 'halt']", "HALT!"),
            words("What is bought?", "['ÄPFEL']", "Äpfel"),
            words("What is the total?", "['$12.50']", "12.50"),
            words("Write the formula.", "['\\\\frac { 1 } { 2 }']", "$\\frac{1}{2}$"),
        ],
        figures: vec![
            ("accuracy", 400.0 / 6.0),
            ("Final Score", 4.0),
            ("Text Recognition", 1.0),
            ("Regular Text Recognition", 1.0),
            ("Digit String Recognition", 0.0),
            ("Scene Text-centric VQA", 1.0),
            ("Doc-oriented VQA", 1.0),
            ("Key Information Extraction", 0.0),
            ("Handwritten Mathematical Expression Recognition", 1.0),
        ],
    }
}
