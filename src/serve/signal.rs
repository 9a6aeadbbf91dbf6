//! When the process is asked to end.

use std::io;

/// Ctrl-C, and what systems send to processes that are to end.
#[cfg(unix)]
pub(super) struct EndSignals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl EndSignals {
    /// Hears them from now on.
    pub(super) fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};

        let (interrupt, terminate) = (SignalKind::interrupt(), SignalKind::terminate());
        Ok(Self { interrupt: signal(interrupt)?, terminate: signal(terminate)? })
    }

    /// Is done when the next one comes.
    pub(super) async fn next(&mut self) {
        use std::pin::pin;

        use futures_util::future::select;

        _ = select(pin!(self.interrupt.recv()), pin!(self.terminate.recv())).await;
    }
}

/// Ctrl-C.
#[cfg(not(unix))]
pub(super) struct EndSignals;

#[cfg(not(unix))]
impl EndSignals {
    /// Hears it from now on.
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self)
    }

    /// Is done when the next one comes.
    pub(super) async fn next(&mut self) {
        _ = tokio::signal::ctrl_c().await;
    }
}
