//! `surprisal search`: passages of a corpus that queries find, and how well they do.

use std::process::ExitCode;

use anyhow::bail;
use serde_json::{Map, Value, json};

use super::{
    args::{SearchArguments, SearchBy, SearchIndex},
    found_passages::found,
    output::{print, print_json, stdout_columns, talk},
    table::{Column, Table},
    width::folded,
};
use crate::{
    passages::{
        Corpus, CorpusOptions, Cutting, Hit, Query, SearchFigure, TableColumns, search_figures,
    },
    report::grouped,
};

/// Searches and prints.
pub(super) fn search(arguments: &SearchArguments) -> anyhow::Result<ExitCode> {
    if arguments.index == Some(SearchIndex::Milvus) && arguments.by == SearchBy::Bm25 {
        bail!("--index milvus searches vectors, and bm25 has none; add --by dense or --by hybrid");
    }
    if arguments.index != Some(SearchIndex::Milvus) && arguments.milvus.address.is_some() {
        bail!("--milvus names a server that is not asked; add --index milvus");
    }
    let corpus = Corpus::read(&arguments.corpus, &corpus_options(arguments)?)?;
    if corpus.other_files() > 0 {
        let others = grouped(corpus.other_files());
        talk(&format!("note: files passed over, being neither .txt nor .md: {others}"));
    }
    let queries = match &arguments.query_file {
        Some(path) => Query::read(path, &corpus)?,
        None => arguments.queries.iter().cloned().map(Query::new).collect(),
    };
    let found = found(arguments, &corpus, &queries)?;
    tell_of_nothing(&queries, &found);
    let rankings: Vec<_> =
        queries.iter().zip(&found).filter_map(|(query, hits)| query.ranking(hits)).collect();
    let figures = search_figures(&rankings, arguments.top_k);
    let unjudged = queries.len() - rankings.len();
    if !rankings.is_empty() && unjudged > 0 {
        let unjudged = grouped(unjudged);
        talk(&format!("note: queries that name nothing relevant, in no figure: {unjudged}"));
    }
    if arguments.json {
        print_json(&to_json(&corpus, &queries, &found, (&figures, rankings.len())))?;
    } else if figures.is_empty() {
        print(&passages(&corpus, &queries, &found, stdout_columns()))?;
    } else {
        print(&figure_table(&figures, rankings.len()).text(stdout_columns()))?;
    }
    let (passages, documents) =
        (grouped(corpus.passages().len()), grouped(corpus.documents().len()));
    talk(&format!(
        "{passages} passages of {documents} documents in {}",
        arguments.corpus.display()
    ));
    Ok(ExitCode::SUCCESS)
}

fn corpus_options(arguments: &SearchArguments) -> anyhow::Result<CorpusOptions> {
    let cutting = |words| Cutting::new(words, arguments.overlap_words);
    let columns = TableColumns {
        id: arguments.id_column.clone(),
        text: arguments.text_column.clone(),
        title: arguments.title_column.clone(),
    };
    Ok(CorpusOptions { columns, cutting: arguments.passage_words.map(cutting).transpose()? })
}

/// Says which queries found nothing: they count as such in every figure.
fn tell_of_nothing(queries: &[Query], found: &[Vec<Hit>]) {
    let nothing = queries.iter().zip(found).filter(|(_, hits)| hits.is_empty());
    let (empty, others): (Vec<_>, Vec<_>) =
        nothing.partition(|(query, _)| !query.text.contains(char::is_alphanumeric));
    let all = grouped(queries.len());
    for (count, what) in [
        (empty.len(), "empty queries, which find nothing"),
        (others.len(), "queries with words that found nothing"),
    ] {
        if count > 0 {
            talk(&format!("note: {what}: {} of {all}", grouped(count)));
        }
    }
}

fn to_json(
    corpus: &Corpus,
    queries: &[Query],
    found: &[Vec<Hit>],
    (figures, judged): (&[SearchFigure], usize),
) -> Value {
    let hit = |(place, hit): (usize, &Hit)| {
        let passage = corpus.passage(hit.passage)?;
        Some(json!({
            "rank": place + 1,
            "score": hit.score,
            "id": passage.id,
            "document": corpus.documents().get(passage.document),
            "title": passage.title,
            "start": passage.characters.start,
            "end": passage.characters.end,
            "text": passage.text,
        }))
    };
    let query = |(query, hits): (&Query, &Vec<Hit>)| {
        let relevant: Map<String, Value> = query
            .relevant
            .iter()
            .filter_map(|(passage, grade)| {
                Some((corpus.passage(*passage)?.id.clone(), json!(grade)))
            })
            .collect();
        let hits: Vec<Value> = hits.iter().enumerate().filter_map(hit).collect();
        json!({"query": query.text, "relevant": relevant, "hits": hits})
    };
    let figure = |figure: &SearchFigure| {
        json!({
            "name": figure.name,
            "value": figure.mean.value,
            "standard_error": figure.mean.standard_error,
            "low": figure.interval.map(|interval| interval.low),
            "high": figure.interval.map(|interval| interval.high),
            "n": judged,
        })
    };
    json!({
        "documents": corpus.documents().len(),
        "passages": corpus.passages().len(),
        "figures": figures.iter().map(figure).collect::<Vec<_>>(),
        "queries": queries.iter().zip(found).map(query).collect::<Vec<_>>(),
    })
}

/// A table for each query.
fn passages(corpus: &Corpus, queries: &[Query], found: &[Vec<Hit>], columns: usize) -> String {
    let mut parts = Vec::new();
    for (query, hits) in queries.iter().zip(found) {
        let mut lines = folded(&format!("query: {}", query.text.trim()), columns, 2);
        let mut table = Table::new([
            Column::text("passage").shortest(12),
            Column::number("score"),
            Column::number("characters").optional(0),
            Column::text("title").shortest(12).optional(1),
            Column::text("text").shortest(24),
        ]);
        for hit in hits {
            let Some(passage) = corpus.passage(hit.passage) else { continue };
            table.row([
                passage.id.clone(),
                format!("{:.4}", hit.score),
                format!("{}–{}", passage.characters.start, passage.characters.end),
                passage.title.clone().unwrap_or_default(),
                passage.text.split_whitespace().collect::<Vec<_>>().join(" "),
            ]);
        }
        lines.push(if hits.is_empty() { "nothing found".to_owned() } else { table.text(columns) });
        parts.push(lines.join("\n"));
    }
    parts.join("\n\n")
}

fn figure_table(figures: &[SearchFigure], judged: usize) -> Table {
    let mut table = Table::new([
        Column::text("metric"),
        Column::text("value (95 % CI)"),
        Column::number("std. error"),
        Column::number("n"),
    ]);
    for figure in figures {
        let interval = figure.interval.map_or_else(String::new, |interval| {
            format!(" ({:.4}–{:.4})", interval.low, interval.high)
        });
        let error =
            figure.mean.standard_error.map_or_else(String::new, |error| format!("± {error:.4}"));
        table.row([
            figure.name.clone(),
            format!("{:.4}{interval}", figure.mean.value),
            error,
            grouped(judged),
        ]);
    }
    table
}
