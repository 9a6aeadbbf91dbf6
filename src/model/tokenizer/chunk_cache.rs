//! Ids of stretches of text that were encoded before.

use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    sync::{Mutex, PoisonError},
};

/// Parts that are locked on their own, so that threads seldom wait for each other.
const SHARDS: usize = 64;

/// Most bytes of all shards together. Prompts repeat what is near them, so a full shard simply starts
/// anew.
const MOST_BYTES: usize = 64 << 20;

/// What an entry costs beside its text and ids.
const ENTRY_BYTES: usize = 64;

/// Texts and their ids, within a bound of memory, for many threads.
#[derive(Debug)]
pub(super) struct ChunkCache {
    shards: Vec<Mutex<Shard>>,
    hasher: RandomState,
}

#[derive(Debug, Default)]
struct Shard {
    ids: HashMap<Box<str>, Box<[u32]>>,
    bytes: usize,
}

impl ChunkCache {
    /// An empty cache.
    pub(super) fn new() -> Self {
        Self { shards: (0..SHARDS).map(|_| Mutex::default()).collect(), hasher: RandomState::new() }
    }

    /// Appends the ids of `text` if they are known.
    pub(super) fn append(&self, text: &str, ids: &mut Vec<u32>) -> bool {
        let shard = self.shard(text).lock().unwrap_or_else(PoisonError::into_inner);
        match shard.ids.get(text) {
            Some(known) => {
                ids.extend_from_slice(known);
                true
            }
            None => false,
        }
    }

    /// Keeps the ids of `text`.
    pub(super) fn insert(&self, text: &str, ids: &[u32]) {
        let bytes = text.len() + size_of_val(ids) + ENTRY_BYTES;
        let mut shard = self.shard(text).lock().unwrap_or_else(PoisonError::into_inner);
        if shard.bytes + bytes > MOST_BYTES / SHARDS {
            *shard = Shard::default();
        }
        if bytes <= MOST_BYTES / SHARDS && shard.ids.insert(text.into(), ids.into()).is_none() {
            shard.bytes += bytes;
        }
    }

    fn shard(&self, text: &str) -> &Mutex<Shard> {
        &self.shards[self.hasher.hash_one(text) as usize % SHARDS]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_found_is_what_was_kept_and_memory_is_bounded() {
        let cache = ChunkCache::new();
        let ids = vec![7; 1 << 12];
        for text in 0..1 << 14 {
            cache.insert(&text.to_string(), &ids);
        }
        let newest = ((1 << 14) - 1).to_string();
        let mut found = vec![1];
        assert!(cache.append(&newest, &mut found));
        assert_eq!(found.split_first(), Some((&1, ids.as_slice())));
        assert!(!cache.append("never seen", &mut found));
        let kept: usize = cache.shards.iter().map(|shard| shard.lock().unwrap().bytes).sum();
        assert!(kept <= MOST_BYTES);
        cache.insert("too long", &vec![0; MOST_BYTES / SHARDS]);
        assert!(!cache.append("too long", &mut found));
    }
}
