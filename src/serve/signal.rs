//! When the process is asked to end.

use std::{future::Future, io};

/// Is done when somebody presses Ctrl-C or the system asks the process to end.
///
/// # Errors
/// The system lets nobody hear that.
#[cfg(unix)]
pub(super) fn end() -> io::Result<impl Future<Output = ()>> {
    use std::pin::pin;

    use futures_util::future::select;
    use tokio::signal::unix::{SignalKind, signal};

    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        _ = select(pin!(interrupt.recv()), pin!(terminate.recv())).await;
    })
}

/// Is done when somebody presses Ctrl-C.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub(super) fn end() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        _ = tokio::signal::ctrl_c().await;
    })
}
