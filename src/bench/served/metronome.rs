//! How late threads of this program wake.
//!
//! A request is sent, and a piece of an answer read, by a thread that waited. Where the machine is busy these threads wake
//! late, and every time that they measure is too long. So one more thread does nothing but wake up and look how late it is.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

/// The time from one waking to the next.
const BEAT: Duration = Duration::from_millis(2);

/// Most values that are kept; later ones take the place of earlier ones.
const MOST: usize = 1 << 18;

/// Seconds by which each waking was late, until it is to end.
pub(super) fn late_seconds(ends: &AtomicBool) -> Vec<f64> {
    let mut late = Vec::new();
    let mut beats = 0;
    while !ends.load(Ordering::Acquire) {
        let due = Instant::now() + BEAT;
        thread::sleep(BEAT);
        let own = Instant::now().saturating_duration_since(due).as_secs_f64();
        if late.len() < MOST {
            late.push(own);
        } else {
            late[beats % MOST] = own;
        }
        beats += 1;
    }
    late
}
