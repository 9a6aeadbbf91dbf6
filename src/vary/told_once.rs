//! What runs of many formats say, each thing once.

use std::{
    collections::HashSet,
    sync::{Mutex, PoisonError},
};

use crate::{hub::DownloadProgress, prepare::Progress, report::VARIANT_MARK};

/// Notes that differ in the name of a format alone are told once.
pub(super) struct ToldOnce<'p> {
    inner: &'p dyn Progress,
    told: Mutex<HashSet<String>>,
}

impl<'p> ToldOnce<'p> {
    pub(super) fn new(inner: &'p dyn Progress) -> Self {
        Self { inner, told: Mutex::default() }
    }

    /// A note without names of formats: `choices@f07` is `choices`.
    fn plain(note: &str) -> String {
        let mut plain = String::new();
        let mut rest = note;
        while let Some((before, behind)) = rest.split_once(VARIANT_MARK) {
            plain.push_str(before);
            let digits = behind.strip_prefix('f').unwrap_or_default();
            let name = digits.trim_start_matches(|letter: char| letter.is_ascii_digit());
            if name.len() < digits.len() {
                rest = name;
            } else {
                plain.push(VARIANT_MARK);
                rest = behind;
            }
        }
        plain + rest
    }
}

impl DownloadProgress for ToldOnce<'_> {
    fn begin_file(&self, file: &str, total_bytes: u64, done_bytes: u64) {
        self.inner.begin_file(file, total_bytes, done_bytes);
    }

    fn bytes(&self, count: u64) {
        self.inner.bytes(count);
    }

    fn end_file(&self) {
        self.inner.end_file();
    }

    fn waiting(&self, why: &str) {
        self.inner.waiting(why);
    }
}

impl Progress for ToldOnce<'_> {
    fn note(&self, note: &str) {
        let plain = Self::plain(note);
        // What a step says of itself is told every time.
        let is_of_plan =
            plain != note || ["data set ", "model "].iter().any(|own| note.starts_with(own));
        let is_new = self.told.lock().unwrap_or_else(PoisonError::into_inner).insert(plain.clone());
        if is_new || !is_of_plan {
            self.inner.note(&plain);
        }
    }

    fn phase(&self, name: &str, steps: usize) {
        self.inner.phase(name, steps);
    }

    fn step(&self) {
        self.inner.step();
    }

    fn begin(&self, title: &str, samples: usize, done: usize) {
        self.inner.begin(title, samples, done);
    }

    fn samples(&self, count: usize) {
        self.inner.samples(count);
    }

    fn tokens(&self, count: usize) {
        self.inner.tokens(count);
    }

    fn end(&self) {
        self.inner.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_its_data_set() {
        for (note, plain) in [
            ("data set choices@f07: moved", "data set choices: moved"),
            ("choices@f07 and sums@f12", "choices and sums"),
            ("me@four", "me@four"),
            ("no format", "no format"),
        ] {
            assert_eq!(ToldOnce::plain(note), plain);
        }
    }
}
