//! What the system knows about this process.

/// Processor seconds of all threads so far, where the system tells.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems may not tell")]
pub(super) fn cpu_seconds() -> Option<f64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(time.tv_sec as f64 + time.tv_nsec as f64 / 1e9)
}

/// Processor seconds of all threads so far, where the system tells.
#[cfg(not(unix))]
pub(super) fn cpu_seconds() -> Option<f64> {
    None
}

/// Memory that the process holds now, in bytes, where the system tells.
pub(super) fn resident_bytes() -> Option<usize> {
    field_bytes(&std::fs::read_to_string("/proc/self/status").ok()?, "VmRSS:")
}

/// The most memory that the process has held, in bytes, where the system tells.
pub(super) fn peak_resident_bytes() -> Option<usize> {
    field_bytes(&std::fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

/// A field of Linux' `/proc/self/status`, which counts in KiB.
fn field_bytes(status: &str, field: &str) -> Option<usize> {
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kibibytes: usize = line.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_from_the_status() {
        let status = "Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n";
        assert_eq!(field_bytes(status, "VmHWM:"), Some(2 << 20));
        assert_eq!(field_bytes(status, "VmRSS:"), Some(1 << 20));
        assert_eq!(field_bytes(status, "VmSwap:"), None);
    }
}
