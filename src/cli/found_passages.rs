//! What queries find, by the index that the arguments of `search` ask for.

use anyhow::bail;

use super::{
    args::{SearchArguments, SearchBy, SearchIndex},
    milvus,
    output::talk,
    progress::TerminalProgress,
};
use crate::{
    passages::{
        Bm25Index, Corpus, GivenQueries, Hit, HybridIndex, IndexKind, PassageEncoder, PassageIndex,
        Query, TextRole, Vectors,
    },
    prepare::{CheckpointEncoder, CheckpointModels, PassageGraphs},
    report::grouped,
};

/// What each query finds.
pub(super) fn found(
    arguments: &SearchArguments,
    corpus: &Corpus,
    queries: &[Query],
) -> anyhow::Result<Vec<Vec<Hit>>> {
    let texts = corpus.searched_texts();
    let asked: Vec<String> = queries.iter().map(|query| query.text.clone()).collect();
    if arguments.by == SearchBy::Bm25 {
        refuse_options_of_vectors(arguments)?;
        return Ok(Bm25Index::new(&texts)?.search(&asked, arguments.top_k)?);
    }
    let progress = TerminalProgress::new();
    let models = CheckpointModels::new(Some(&arguments.work_dir), &progress);
    let checkpoint = arguments.encoder.as_deref().map(|name| CheckpointEncoder {
        models: &models,
        name,
        query_prompt: arguments.query_prompt.as_deref(),
        passage_prompt: arguments.passage_prompt.as_deref(),
    });
    let given = match &arguments.query_vectors {
        Some(path) => {
            let vectors = Vectors::read_for(path, asked.len(), "queries")?;
            Some(GivenQueries::new(&asked, vectors)?)
        }
        None => None,
    };
    if arguments.index == Some(SearchIndex::Milvus) {
        return in_server(arguments, (&texts, &asked), checkpoint.as_ref(), &progress);
    }
    let encoder: &dyn PassageEncoder = match (&checkpoint, &given) {
        (Some(checkpoint), _) => checkpoint,
        (None, Some(given)) => given,
        (None, None) => bail!(
            "nothing says what makes vectors of queries; name a sentence encoder with --encoder, or give --vectors and --query-vectors"
        ),
    };
    let vectors = match &arguments.vectors {
        Some(path) => {
            let vectors = Vectors::read_for(path, texts.len(), "passages")?;
            if checkpoint.is_some() {
                vectors.check_encoder(&texts, encoder, path)?;
            }
            vectors
        }
        None => Vectors::of_texts(&texts, encoder, TextRole::Passage)?,
    };
    let graphs = PassageGraphs::new(&arguments.work_dir, &progress);
    let dense = kind(arguments, texts.len()).index(vectors, encoder, &graphs)?;
    let index = if arguments.by == SearchBy::Hybrid {
        Box::new(HybridIndex::new(vec![Box::new(Bm25Index::new(&texts)?), dense]))
    } else {
        dense
    };
    let found = index.search(&asked, arguments.top_k)?;
    models.tell();
    Ok(found)
}

/// What each query finds by vectors that lie in a Milvus server.
fn in_server(
    arguments: &SearchArguments,
    (texts, asked): (&[String], &[String]),
    checkpoint: Option<&CheckpointEncoder<'_>>,
    progress: &TerminalProgress,
) -> anyhow::Result<Vec<Vec<Hit>>> {
    let Some(checkpoint) = checkpoint.filter(|_| arguments.vectors.is_none()) else {
        bail!("--index milvus fills a collection by an encoder; give --encoder, and no --vectors");
    };
    let dense = milvus::open(&arguments.milvus, texts, checkpoint, progress)?;
    let index: Box<dyn PassageIndex + '_> = if arguments.by == SearchBy::Hybrid {
        Box::new(HybridIndex::new(vec![Box::new(Bm25Index::new(texts)?), dense]))
    } else {
        dense
    };
    let found = index.search(asked, arguments.top_k)?;
    checkpoint.models.tell();
    Ok(found)
}

/// The kind of index that is asked for, or the usual one, which is told where it may pass passages over.
fn kind(arguments: &SearchArguments, passages: usize) -> IndexKind {
    match arguments.index {
        // A server is asked elsewhere.
        Some(SearchIndex::Exact | SearchIndex::Milvus) => IndexKind::Exact,
        Some(SearchIndex::Hnsw) => IndexKind::Hnsw,
        None => {
            let usual = IndexKind::usual(passages);
            if usual == IndexKind::Hnsw {
                talk(&format!(
                    "note: {} passages are searched by HNSW, which may pass some over; --index exact passes none over",
                    grouped(passages)
                ));
            }
            usual
        }
    }
}

fn refuse_options_of_vectors(arguments: &SearchArguments) -> anyhow::Result<()> {
    for (option, is_given) in [
        ("--encoder", arguments.encoder.is_some()),
        ("--vectors", arguments.vectors.is_some()),
        ("--index", arguments.index.is_some()),
    ] {
        if is_given {
            bail!(
                "{option} is for vectors, and this searches by words; add --by dense or --by hybrid, or leave it out"
            );
        }
    }
    Ok(())
}
