//! What the operating system says of this process and of the machine's memory.
//!
//! Systems differ in what they tell, so every answer may be missing. Nothing here knows a device: the
//! memory of a GPU is its driver's to say.

#![expect(clippy::disallowed_methods, reason = "Linux tells these figures in files")]

use std::fs;

/// Processor seconds of all threads so far, where the system tells.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems may not tell")]
pub(crate) fn cpu_seconds() -> Option<f64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(time.tv_sec as f64 + time.tv_nsec as f64 / 1e9)
}

/// Processor seconds of all threads so far, where the system tells.
#[cfg(not(unix))]
pub(crate) fn cpu_seconds() -> Option<f64> {
    None
}

/// Memory that the process holds now, in bytes, where the system tells.
pub(crate) fn resident_bytes() -> Option<usize> {
    field_bytes(&fs::read_to_string("/proc/self/status").ok()?, "VmRSS:")
}

/// The most memory that the process has held, in bytes, where the system tells.
pub(crate) fn peak_resident_bytes() -> Option<usize> {
    field_bytes(&fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

/// Memory of the machine that is free or can be freed, in bytes, where the system tells.
pub(crate) fn available_memory_bytes() -> Option<usize> {
    field_bytes(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
}

/// A field of Linux' `/proc/self/status` or `/proc/meminfo`, which count in KiB.
fn field_bytes(fields: &str, field: &str) -> Option<usize> {
    let line = fields.lines().find_map(|line| line.strip_prefix(field))?;
    let kibibytes: usize = line.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_from_the_files_of_linux() {
        let status = "Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n";
        assert_eq!(field_bytes(status, "VmHWM:"), Some(2 << 20));
        assert_eq!(field_bytes(status, "VmRSS:"), Some(1 << 20));
        assert_eq!(field_bytes(status, "VmSwap:"), None);
        let meminfo = "MemTotal:       32000 kB\nMemAvailable:    1000 kB\n";
        assert_eq!(field_bytes(meminfo, "MemAvailable:"), Some(1_024_000));
    }
}
