//! Calls into libraries that assert what files say about themselves.
//!
//! The decoder of parquet and the tokenizer library panic on input they did not expect. What is called here
//! panics quietly, and the caller gets an error to put into its own words.

use std::{
    any::Any,
    cell::Cell,
    panic::{self, AssertUnwindSafe},
    sync::Once,
};

thread_local! {
    /// How many guarded calls this thread is in.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// What `work` gives, or the words of its panic.
///
/// What a panic leaves half done is the caller's to throw away.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let tell = panic::take_hook();
        panic::set_hook(Box::new(move |what| {
            if DEPTH.get() == 0 {
                tell(what);
            }
        }));
    });
    DEPTH.set(DEPTH.get() + 1);
    let outcome = panic::catch_unwind(AssertUnwindSafe(work));
    DEPTH.set(DEPTH.get() - 1);
    outcome.map_err(|panic| words(&*panic))
}

fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "it gave no reason".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_with_its_words() {
        assert_eq!(guarded(|| 3), Ok(3));
        let outcome = guarded(|| guarded(|| [1, 2][std::hint::black_box(2)]));
        assert!(outcome.unwrap().unwrap_err().contains("out of bounds"));
        assert_eq!(guarded(|| std::panic::panic_any(3)), Err::<(), _>("it gave no reason".into()));
    }
}
