//! A Milvus server as an index of `surprisal search`.

use super::{args::MilvusArguments, progress::TerminalProgress};
use crate::{passages::PassageIndex, prepare::CheckpointEncoder};

/// Opens the collection of these texts, filled if need be.
#[cfg(feature = "milvus")]
pub(super) fn open<'a>(
    arguments: &MilvusArguments,
    texts: &'a [String],
    encoder: &'a CheckpointEncoder<'_>,
    progress: &TerminalProgress,
) -> anyhow::Result<Box<dyn PassageIndex + 'a>> {
    use crate::{
        passages::{Filling, MilvusIndex, MilvusOptions},
        prepare::Progress as _,
        report::grouped,
    };

    let options = MilvusOptions {
        address: arguments.address.as_deref().unwrap_or_default().parse()?,
        token: token()?,
        collection: arguments.collection.as_deref().map(str::parse).transpose()?,
        index: arguments.milvus_index.as_deref().map(str::parse).transpose()?.unwrap_or_default(),
        refill: arguments.refill,
    };
    let complete = std::cell::Cell::new((0, 0));
    let told = |filling| match filling {
        Filling::Sending(passages) => {
            let title = format!("sending {passages} passages to {}", options.address);
            progress.phase(&title, passages);
        }
        Filling::Sent(passages) => (0..passages).for_each(|_| progress.step()),
        Filling::Complete { sent, there } => complete.set((sent, there)),
    };
    let index = MilvusIndex::open(&options, texts, encoder, &encoder.passage_key()?, &told)?;
    progress.end();
    let (sent, there) = complete.get();
    let place = index.place();
    progress.note(&match (sent, there) {
        (0, _) => format!("{place}: all passages were there"),
        (sent, 0) => format!("{place}: passages sent: {}", grouped(sent)),
        (sent, there) => {
            format!("{place}: passages sent: {}; there before: {}", grouped(sent), grouped(there))
        }
    });
    Ok(Box::new(index))
}

/// What the server is told about who asks, from the environment alone, so that no list of processes and no history shows it.
#[cfg(feature = "milvus")]
fn token() -> anyhow::Result<Option<String>> {
    use std::env::{VarError, var};

    match var("SURPRISAL_MILVUS_TOKEN") {
        Ok(token) => Ok(Some(token).filter(|token| !token.is_empty())),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => anyhow::bail!("SURPRISAL_MILVUS_TOKEN is not UTF-8"),
    }
}

/// Says what such a program is built with.
#[cfg(not(feature = "milvus"))]
pub(super) fn open<'a>(
    _: &MilvusArguments,
    _: &'a [String],
    _: &'a CheckpointEncoder<'_>,
    _: &TerminalProgress,
) -> anyhow::Result<Box<dyn PassageIndex + 'a>> {
    anyhow::bail!(
        "`--index milvus` needs a build with `--features milvus`; this build has none of it: cargo build --release --features milvus"
    )
}
