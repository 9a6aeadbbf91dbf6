//! The same small page as the reference in Python makes it: `tests/fixtures/page/reference.json`, which
//! `python3 tests/page/fixture.py` writes.

use std::io::Read as _;

use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};

use super::*;

/// Blocks of more letters are known by a hash.
const MOST_LETTERS: usize = 4096;

fn fixture() -> Json {
    let text = include_str!("../../../tests/fixtures/page/reference.json");
    serde_json::from_str(text).unwrap()
}

fn list(value: &Json) -> impl Iterator<Item = &Json> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Json) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn name(value: &Json) -> String {
    text(value).unwrap()
}

fn count(value: &Json) -> Option<usize> {
    value.as_u64().map(|number| number as usize)
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2);
    digits.map(|two| u8::from_str_radix(std::str::from_utf8(two).unwrap(), 16).unwrap()).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

fn notes(values: &Json) -> Vec<Note> {
    let note = |own: &Json| Note {
        severity: if own["severity"] == "note" {
            NoteSeverity::Note
        } else {
            NoteSeverity::Warning
        },
        message: name(&own["message"]),
    };
    list(values).map(note).collect()
}

fn page(values: &Json) -> Page {
    let run = |own: &Json| Run {
        name: name(&own["name"]),
        started: text(&own["started"]),
        seconds: own["seconds"].as_f64(),
        asked_tokens: count(&own["asked_tokens"]),
        computed_tokens: count(&own["computed_tokens"]),
        reused_tokens: count(&own["reused_tokens"]),
        ..Run::default()
    };
    let group = |own: &Json| Group {
        key: name(&own["key"]),
        run: count(&own["run"]).unwrap(),
        model: count(&own["model"]).unwrap(),
        dataset: name(&own["dataset"]),
        variant: text(&own["variant"]),
        mode: name(&own["mode"]),
        rule: text(&own["rule"]),
        rows_of: text(&own["rows_of"]),
        samples: count(&own["samples"]).unwrap(),
    };
    let figure = |own: &Json| Figure {
        group: count(&own["group"]).unwrap(),
        metric: name(&own["metric"]),
        unit: name(&own["unit"]),
        value: own["value"].as_f64(),
        low: own["low"].as_f64(),
        high: own["high"].as_f64(),
        samples: count(&own["samples"]).unwrap(),
        failed: count(&own["failed"]).unwrap(),
    };
    let models = list(&values["models"]).zip(list(&values["pieces"])).map(|(own, pieces)| Model {
        name: name(&own["name"]),
        dtype: text(&own["dtype"]),
        device: text(&own["device"]),
        pieces: numbered(pieces),
    });
    let known = |value: &Json, words: &[&'static str]| {
        words.iter().copied().find(|word| value.as_str() == Some(word))
    };
    let style = |own: &Json| Style {
        section: known(&own["section"], &["begin", "ice", "round", "end"]),
        example: count(&own["example"]),
        role: text(&own["role"]),
        kind: known(&own["kind"], &["template", "field", "mask", "markup"]),
        column: text(&own["column"]),
    };
    let column = |own: &Json| Column {
        name: name(&own["name"]),
        title: name(&own["title"]),
        unit: name(&own["unit"]),
    };
    Page {
        title: name(&values["title"]),
        is_of_prompts: values["is_of_prompts"] == true,
        notes: notes(&values["notes"]),
        runs: list(&values["runs"]).map(run).collect(),
        models: models.collect(),
        groups: list(&values["groups"]).map(group).collect(),
        figures: list(&values["figures"]).map(figure).collect(),
        comparisons: list(&values["comparisons"]).map(comparison).collect(),
        styles: list(&values["styles"]).map(style).collect(),
        columns: list(&values["columns"]).map(column).collect(),
        samples: list(&values["samples"]).map(sample).collect(),
        segments: segments(&values["segments"]),
        pictures: list(&values["pictures"]).map(picture).collect(),
    }
}

fn picture(own: &Json) -> Picture {
    Picture {
        name: name(&own["name"]),
        width: count(&own["width"]).unwrap(),
        height: count(&own["height"]).unwrap(),
        drawn: match text(&own["missing"]) {
            Some(reason) => Drawn::Nothing(reason),
            None => Drawn::File {
                media_type: if own["type"] == "image/png" { "image/png" } else { "image/jpeg" },
                bytes: bytes(own["file"].as_str().unwrap()),
            },
        },
    }
}

/// The pieces in another order than the file's, which is not that of their coming.
fn numbered(values: &Json) -> Pieces {
    let mut pieces = Pieces::default();
    let all: Vec<Piece> = list(values)
        .map(|own| Piece {
            kind: [PieceKind::Text, PieceKind::Added, PieceKind::Stretch, PieceKind::Image]
                [count(&own[0]).unwrap()],
            id: count(&own[1]).unwrap() as u32,
            bytes: bytes(own[2].as_str().unwrap()),
        })
        .collect();
    for piece in all.into_iter().rev() {
        pieces.number(piece);
    }
    pieces
}

fn comparison(own: &Json) -> Comparison {
    let member = |own: &Json| Member {
        name: name(&own["name"]),
        group: count(&own["group"]).unwrap(),
        value: own["value"].as_f64(),
        more: list(&own["more"]).map(Json::as_f64).collect(),
        ..Member::default()
    };
    let column =
        |own: &Json| ComparisonColumn { title: name(&own["title"]), unit: name(&own["unit"]) };
    let pair = |own: &Json| Pair {
        left: count(&own["left"]).unwrap(),
        right: count(&own["right"]).unwrap(),
        value: own["value"].as_f64(),
        low: own["low"].as_f64(),
        high: own["high"].as_f64(),
        p: own["p"].as_f64(),
        gained: count(&own["gained"]),
        lost: count(&own["lost"]),
        is_real: own["is_real"].as_bool().unwrap(),
        ..Pair::default()
    };
    Comparison {
        title: name(&own["title"]),
        by: name(&own["by"]),
        metric: name(&own["metric"]),
        unit: name(&own["unit"]),
        is_more_better: own["is_more_better"].as_bool(),
        verdict: text(&own["verdict"]),
        notes: list(&own["notes"]).map(name).collect(),
        members: list(&own["members"]).map(member).collect(),
        columns: list(&own["columns"]).map(column).collect(),
        pairs: list(&own["pairs"]).map(pair).collect(),
    }
}

fn segments(values: &Json) -> Segments {
    let pieces = [8, 300];
    let mut segments = Segments::default();
    for own in list(values) {
        let model = count(&own["model"]).unwrap();
        let nats = |value: &Json| match value.as_str() {
            Some("inf") => Some(f32::INFINITY),
            Some(_) => Some(f32::NAN),
            None => value.as_f64().map(|nats| nats as f32),
        };
        let cycle: Vec<SegmentToken> = list(&own["cycle"])
            .map(|token| SegmentToken {
                piece: (pieces[model] - 1 - count(&token[0]).unwrap()) as u32,
                nll: nats(&token[1]),
            })
            .collect();
        let mark =
            |own: &Json| Mark { bytes: count(&own[0]).unwrap(), style: count(&own[1]).unwrap() };
        let length = count(&own["length"]).unwrap();
        segments.push(
            count(&own["parent"]),
            model,
            cycle.into_iter().cycle().take(length),
            list(&own["marks"]).map(mark),
        );
    }
    segments
}

fn sample(own: &Json) -> Sample {
    let flag = |flags: Flags, name: &Json| {
        flags
            | match name.as_str().unwrap() {
                "right" => Flags::RIGHT,
                "wrong" => Flags::WRONG,
                "failed" => Flags::FAILED,
                "tie" => Flags::TIE,
                "near_tie" => Flags::NEAR_TIE,
                _ => Flags::WARNED,
            }
    };
    let range = |value: &Json| Some(count(&value[0])?..count(&value[1])?);
    let of_text = |own: &Json| SampleText {
        segment: count(&own["segment"]).unwrap(),
        label: text(&own["label"]),
        asked_as: text(&own["asked_as"]),
        is_gold: own["gold"] == true,
        is_chosen: own["chosen"] == true,
        score: own["score"].as_f64(),
        sum_nats: own["sum"].as_f64(),
        answer_nats: own["answer_sum"].as_f64(),
        answer: range(&own["answer"]),
        cut: range(&own["cut"]),
        normalizer: count(&own["normalizer"]),
        turn: count(&own["turn"]),
        reply: text(&own["reply"]),
        extracted: range(&own["extracted"]),
        finish: text(&own["finish"]),
    };
    let object = |value: &Json| value.as_object().cloned().unwrap_or_default();
    Sample {
        row: count(&own["row"]).unwrap() as u32,
        flags: list(&own["flags"]).fold(Flags::default(), flag),
        gold: text(&own["gold"]),
        prediction: text(&own["prediction"]),
        line: name(&own["line"]),
        figures: list(&own["figures"]).map(|own| own.as_f64().map(|own| own as f32)).collect(),
        compared: own.get("compared").map(|own| [text(&own[0]), text(&own[1])]),
        error: text(&own["error"]),
        warnings: notes(&own["warnings"]),
        scores: object(&own["scores"])
            .into_iter()
            .map(|(name, own)| (name, own.as_f64()))
            .collect(),
        dropped_examples: count(&own["dropped_examples"]).unwrap_or(0),
        truncated_tokens: count(&own["truncated_tokens"]).unwrap_or(0),
        columns: object(&own["columns"]).into_iter().collect(),
        facts: object(&own["facts"]).into_iter().map(|(key, own)| (key, name(&own))).collect(),
        stages: Vec::new(),
        texts: list(&own["texts"]).map(of_text).collect(),
    }
}

/// What letters stand for.
fn unpacked(line: &str) -> Vec<u8> {
    let digits: Vec<u8> = (33..127).filter(|letter| !b"\"&'<>\\`{}".contains(letter)).collect();
    let mut packed = Vec::new();
    for group in line.as_bytes().chunks(5) {
        let mut number = 0_u64;
        for place in 0..5 {
            let letter = group.get(place).copied().unwrap_or(b'~');
            number = number * 85 + digits.binary_search(&letter).unwrap() as u64;
        }
        packed.extend(&(number as u32).to_be_bytes()[..group.len() - 1]);
    }
    let mut bytes = Vec::new();
    flate2::read::ZlibDecoder::new(packed.as_slice()).read_to_end(&mut bytes).unwrap();
    bytes
}

fn element<'h>(html: &'h str, id: &str) -> &'h str {
    let (_, rest) = html.split_once(&format!("id=\"{id}\">")).unwrap();
    rest.split_once("</script>").unwrap().0
}

#[test]
fn the_page_is_what_the_reference_makes() {
    let fixture = fixture();
    let html = page(&fixture["values"]).html();
    let html = std::str::from_utf8(&html).unwrap();
    let wanted = &fixture["wanted"];
    let summary: Json = serde_json::from_str(element(html, "summary")).unwrap();
    let found = summary.as_object().unwrap();
    for (name, value) in wanted["summary"].as_object().unwrap() {
        assert_eq!(&found[name], value, "{name}");
    }
    assert_eq!(found.len(), wanted["summary"].as_object().unwrap().len());
    let columns: Vec<String> =
        element(html, "index").lines().map(|line| hex(&unpacked(line))).collect();
    let wanted_columns: Vec<String> = list(&wanted["columns"]).map(name).collect();
    assert_eq!(columns, wanted_columns);
    let blocks: Vec<Vec<u8>> = element(html, "blocks-0").lines().map(unpacked).collect();
    let bodies = count(&summary["blocks"]["first_body"]).unwrap()
        ..count(&summary["blocks"]["first_segment"]).unwrap();
    assert_eq!(blocks.len(), list(&wanted["blocks"]).count());
    for (number, (block, wanted)) in blocks.iter().zip(list(&wanted["blocks"])).enumerate() {
        let wanted = wanted.as_str().unwrap();
        if !bodies.contains(&number) {
            let own = hex(block);
            let own = if own.len() < MOST_LETTERS { own } else { hex(&Sha256::digest(block)) };
            assert_eq!(own, wanted, "block {number}");
        }
    }
    let lines = |block: &[u8]| -> Vec<Json> {
        let text = std::str::from_utf8(block).unwrap().to_owned();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let found: Vec<Json> = bodies.clone().flat_map(|number| lines(&blocks[number])).collect();
    let wanted_bodies: Vec<Json> = list(&wanted["bodies"]).cloned().collect();
    assert_eq!(found, wanted_bodies);
}

#[test]
fn equal_pages_have_equal_bytes_and_the_policy_names_what_runs() {
    let fixture = fixture();
    let html = page(&fixture["values"]).html();
    assert!(html == page(&fixture["values"]).html());
    let html = String::from_utf8(html).unwrap();
    let (_, script) = html.rsplit_once("<script>").unwrap();
    let script = script.split_once("</script>").unwrap().0;
    let digest = Sha256::digest(script.as_bytes());
    let named = html.split_once("script-src 'sha256-").unwrap().1.split_once('\'').unwrap().0;
    assert_eq!(super::assembly::base64(&digest), named);
}
