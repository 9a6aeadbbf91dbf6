//! Short texts and a label: inference, sentiment, topics, words in context (GLUE, CLUE and their kin).

use serde_json::Value;

use super::{
    class::{ClassForm, Format, files, library, one},
    row::{Fields, Flaw, Made, Row, capitalised, letter, row},
    step::{
        Step,
        Step::{Constant, Is, Join, Letter, LetterOfText, Own, Skip, Take, Words},
        removed,
    },
};

const TRUE_FALSE: &[(&str, &str)] = &[("true", "A"), ("false", "B")];

pub(super) const AFQMC: ClassForm = ClassForm {
    fields: &["path", "local_mode?"],
    ..one(Format::Lines, &[LetterOfText("label", "label", "AB")])
};

pub(super) const ANLI: ClassForm =
    one(Format::Lines, &[Words("label", "label", &[("c", "A"), ("e", "B"), ("n", "C")])]).unnamed();

pub(super) const AX: ClassForm =
    one(Format::Lines, &[Words("label", "label", &[("entailment", "A"), ("not_entailment", "B")])]);

pub(super) const BOOLQ: ClassForm = library(&[Is("answer", "label", "true")]);

pub(super) const BOOLQ_LETTERS: ClassForm = one(Format::Lines, &[TRUTH]);

pub(super) const BOOLQ_UNTITLED: ClassForm = one(Format::Lines, &[Own(untitled)]).unnamed();

pub(super) const CB: ClassForm = one(
    Format::Lines,
    &[Words("label", "label", &[("contradiction", "A"), ("entailment", "B"), ("neutral", "C")])],
)
.unnamed();

pub(super) const CHID: ClassForm = library(&[Own(|row| {
    let content = row.text("content")?.to_owned();
    let idioms: Vec<String> = row.texts("candidates")?.into_iter().map(str::to_owned).collect();
    for (index, idiom) in idioms.iter().enumerate() {
        row.insert(format!("content{index}"), content.replace("#idiom#", idiom).into());
    }
    Ok(())
})]);

pub(super) const CHID_LETTERS: ClassForm = one(
    Format::Lines,
    &[Own(|line| {
        let mut made =
            row([("content", line.text("content")?.replace("#idiom#", "______").into())]);
        for (letter, idiom) in ('A'..).zip(line.list("candidates")?) {
            made.insert(letter.to_string(), idiom.clone());
        }
        made.insert("answer".to_owned(), letter("ABCDEFG", line.whole("answer")?)?.into());
        *line = made;
        Ok(())
    })],
)
.unnamed();

const SPANS: Step = Take(&[
    ("span1", "target.span1_text"),
    ("span2", "target.span2_text"),
    ("text", "text"),
    ("label", "label"),
]);

const TRUTH: Step = Words("label", "label", TRUE_FALSE);

pub(super) const CLUEWSC: ClassForm = library(&[Own(|row| {
    let parts = row.text("text")?.chars().map(String::from).collect();
    coreference(row, parts, "")
})]);

pub(super) const CLUEWSC_LETTERS: ClassForm = one(Format::Lines, &[SPANS, TRUTH]).unnamed();

pub(super) const CMNLI: ClassForm =
    ClassForm { fields: &["path", "local_mode?"], ..one(Format::Lines, &[Skip("label", "-")]) };

pub(super) const CMNLI_LETTERS: ClassForm = ClassForm {
    fields: &["path", "local_mode?"],
    ..one(
        Format::Lines,
        &[
            Skip("label", "-"),
            Words(
                "label",
                "label",
                &[("entailment", "A"), ("contradiction", "B"), ("neutral", "C")],
            ),
        ],
    )
};

pub(super) const COPA: ClassForm = one(Format::Lines, &[Letter("label", "label", "AB")]).unnamed();

pub(super) const CROWS_PAIRS_CN: ClassForm =
    files(&["path"], &[("test", "{path}")], Format::Lines, &[Constant("label", "A")]).unnamed();

pub(super) const CSL: ClassForm = library(&[Join("keywords", "keyword", "，")]);

pub(super) const CSL_LETTERS: ClassForm = one(
    Format::Lines,
    &[
        Join("keywords", "keyword", "，"),
        Take(&[("abst", "abst"), ("keywords", "keywords"), ("label", "label")]),
        LetterOfText("label", "label", "AB"),
    ],
)
.unnamed();

pub(super) const EPRSTMT: ClassForm = one(
    Format::Lines,
    &[
        Take(&[("sentence", "sentence"), ("label", "label")]),
        Words("label", "label", &[("Positive", "A"), ("Negative", "B")]),
    ],
)
.unnamed();

pub(super) const TNEWS: ClassForm = library(&[Words(
    "label_desc2",
    "label_desc",
    &[
        ("news_agriculture", "农业新闻"),
        ("news_travel", "旅游新闻"),
        ("news_game", "游戏新闻"),
        ("news_tech", "科技类别公司新闻"),
        ("news_sports", "体育类别新闻"),
        ("news_edu", "初升高教育新闻"),
        ("news_entertainment", "娱乐圈新闻"),
        ("news_finance", "投资资讯"),
        ("news_military", "军事类别常识"),
        ("news_car", "车辆新闻"),
        ("news_house", "楼市新闻"),
        ("news_world", "环球不含中国类别新闻"),
        ("news_culture", "书籍文化历史类别新闻"),
        ("news_story", "故事类别新闻"),
        ("news_stock", "股票市场类别新闻"),
    ],
)]);

pub(super) const TNEWS_LETTERS: ClassForm = one(
    Format::Lines,
    &[
        Take(&[("sentence", "sentence"), ("label_desc2", "label_desc")]),
        Words(
            "label_desc2",
            "label_desc2",
            &[
                ("news_agriculture", "A"),
                ("news_travel", "B"),
                ("news_game", "C"),
                ("news_tech", "D"),
                ("news_sports", "E"),
                ("news_edu", "F"),
                ("news_entertainment", "G"),
                ("news_finance", "H"),
                ("news_military", "I"),
                ("news_car", "J"),
                ("news_house", "K"),
                ("news_world", "L"),
                ("news_culture", "M"),
                ("news_story", "N"),
                ("news_stock", "O"),
            ],
        ),
    ],
)
.unnamed();

pub(super) const WIC: ClassForm = library(&[Is("answer", "label", "true")]);

pub(super) const WIC_LETTERS: ClassForm = one(Format::Lines, &[TRUTH]).unnamed();

pub(super) const WSC: ClassForm = library(&[Own(|row| {
    if row.text("target.span2_text")?.contains(' ') {
        return Flaw::new("`target.span2_text` is more than a word");
    }
    let parts = row.text("text")?.split(' ').map(str::to_owned).collect();
    coreference(row, parts, " ")
})]);

pub(super) const WSC_LETTERS: ClassForm = one(Format::Lines, &[SPANS, TRUTH]).unnamed();

pub(super) const WSC_MARKED: ClassForm = one(Format::Lines, &[Own(marked), SPANS, TRUTH]).unnamed();

/// A passage without its title, and a question that begins with a capital.
fn untitled(row: &mut Row) -> Made<()> {
    let passage = row.text("passage")?.split_once(" -- ").map_or("", |(_, rest)| rest);
    let (passage, question) = (passage.to_owned(), capitalised(row.text("question")?)?);
    row.insert("passage".to_owned(), passage.into());
    row.insert("question".to_owned(), question.into());
    Ok(())
}

/// The pronoun replaced by what it may stand for; `parts` are the pieces that an index counts.
fn coreference(row: &mut Row, mut parts: Vec<String>, separator: &str) -> Made<()> {
    let target = removed(row, "target")?;
    let (first, second) = (target.at("span1_text")?, target.at("span2_text")?);
    let index = target.whole("span2_index")?;
    let from_end = || parts.len().checked_sub(usize::try_from(index.unsigned_abs()).ok()?);
    let index = if index < 0 { from_end() } else { usize::try_from(index).ok() };
    let place = index.and_then(|index| parts.get_mut(index));
    let Some(place) = place else { return Flaw::new("`target.span2_index` is beyond the text") };
    target.text("span1_text")?.clone_into(place);
    row.insert("new_text".to_owned(), parts.join(separator).into());
    let answer = i32::from(row.at("label")? == "true");
    row.insert("answer".to_owned(), answer.into());
    row.insert("span1".to_owned(), first.clone());
    row.insert("span2".to_owned(), second.clone());
    Ok(())
}

/// Both spans between marks.
fn marked(row: &mut Row) -> Made<()> {
    let span = |number: usize| {
        let text = row.text(&format!("target.span{number}_text"))?;
        let start = row.whole(&format!("target.span{number}_index"))?;
        let words = i64::try_from(text.split(' ').count()).unwrap_or(i64::MAX);
        Ok((text, start, start.saturating_add(words)))
    };
    let ((first, first_start, first_end), (second, second_start, second_end)) =
        (span(1)?, span(2)?);
    let mut words: Vec<String> = Vec::new();
    for (index, word) in (0_i64..).zip(row.text("text")?.split(' ')) {
        if (first_start..first_end).contains(&index) {
            if index == first_start {
                words.push(format!("* {first} *"));
            }
        } else if (second_start..second_end).contains(&index) {
            if index == second_start {
                words.push(format!("# {second} #"));
            }
        } else {
            words.push(word.to_owned());
        }
    }
    row.insert("text".to_owned(), Value::from(words.join(" ")));
    Ok(())
}
