//! When the next request may be sent: so many a second, and none while the server asks to be left alone.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// How long a wait goes on before it is looked whether the run was stopped.
const LOOK: Duration = Duration::from_millis(50);

/// The pace of all requests to one server.
#[derive(Debug)]
pub(super) struct Pace {
    /// Between two requests; nothing where any number may be sent.
    interval: Option<Duration>,
    /// The earliest time of the next one.
    next: Mutex<Option<Instant>>,
    stopped: AtomicBool,
}

impl Pace {
    /// A pace of so many requests a second.
    pub(super) fn new(queries_per_second: Option<f64>) -> Self {
        let interval = queries_per_second.map(|rate| Duration::from_secs_f64(1.0 / rate));
        Self { interval, next: Mutex::new(None), stopped: AtomicBool::new(false) }
    }

    /// Waits until a request may be sent; false if none may any more.
    pub(super) fn turn(&self) -> bool {
        let now = Instant::now();
        let own = {
            let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
            let own = next.map_or(now, |next| next.max(now));
            if let Some(interval) = self.interval {
                *next = Some(own + interval);
            }
            own
        };
        self.wait_until(own)
    }

    /// Sends nothing for so long.
    pub(super) fn hold(&self, wait: Duration) {
        let until = Instant::now() + wait;
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        *next = Some(next.map_or(until, |next| next.max(until)));
    }

    /// Waits for so long; false if the run is stopped before.
    pub(super) fn wait(&self, wait: Duration) -> bool {
        self.wait_until(Instant::now() + wait)
    }

    fn wait_until(&self, until: Instant) -> bool {
        loop {
            if self.stopped.load(Ordering::Acquire) {
                return false;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            thread::sleep(left.min(LOOK));
        }
    }

    /// Lets every wait end.
    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
    }
}
