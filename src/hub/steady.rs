//! A body that has to arrive at a pace.
//!
//! A server that sends a byte now and then never times out and keeps a download for days. What is slower
//! than a modem for a minute is dropped; what has arrived stays, as after any break.

use std::{
    io::{self, Read},
    time::{Duration, Instant},
};

/// Fewest bytes of a second.
pub(super) const LEAST_BYTES_PER_SECOND: u64 = 1000;

/// A reader that fails once it was too slow for a whole window.
pub(super) struct Steady<R> {
    inner: R,
    window: Duration,
    since: Instant,
    bytes: u64,
    is_too_slow: bool,
}

impl<R: Read> Steady<R> {
    /// Reads `inner`, whose pace is looked at once in every `window`.
    pub(super) fn new(inner: R, window: Duration) -> Self {
        Self { inner, window, since: Instant::now(), bytes: 0, is_too_slow: false }
    }

    /// Whether it failed because of its pace.
    pub(super) fn is_too_slow(&self) -> bool {
        self.is_too_slow
    }
}

impl<R: Read> Read for Steady<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(into)?;
        self.bytes += count as u64;
        let elapsed = self.since.elapsed();
        if elapsed >= self.window {
            let least_bytes = LEAST_BYTES_PER_SECOND as f64 * elapsed.as_secs_f64();
            if count > 0 && (self.bytes as f64) < least_bytes {
                self.is_too_slow = true;
                return Err(io::Error::new(
                    io::ErrorKind::TimedOut,
                    format!(
                        "{} bytes in {} s, less than {LEAST_BYTES_PER_SECOND} a second",
                        self.bytes,
                        elapsed.as_secs()
                    ),
                ));
            }
            (self.since, self.bytes) = (Instant::now(), 0);
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Brings so many bytes at a time, each after a wait.
    struct Dripping(usize);

    impl Read for Dripping {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            std::thread::sleep(Duration::from_millis(2));
            let count = self.0.min(into.len());
            into[..count].fill(7);
            Ok(count)
        }
    }

    #[test]
    fn what_drips_is_dropped_and_what_flows_is_not() {
        let window = Duration::from_millis(20);
        let mut dripping = Steady::new(Dripping(1), window);
        let mut bytes = Vec::new();
        let error = dripping.read_to_end(&mut bytes).unwrap_err();
        assert!(dripping.is_too_slow() && error.to_string().contains("less than 1000 a second"));
        assert!(!bytes.is_empty());
        let mut flowing = Steady::new(Dripping(4096), window).take(200_000);
        assert_eq!(flowing.read_to_end(&mut Vec::new()).unwrap(), 200_000);
    }
}
