//! Who is awake, where nothing is under control.

use std::{fs, thread, time::Duration};

/// Whether that can be known here.
pub const CAN_TELL: bool = cfg!(target_os = "linux");

/// Until every thread but this one sleeps, and none of them has been awake between two looks. A thread that is to be
/// woken does not sleep any more for Linux, so nothing is left to come, but for what waits for time to pass.
pub fn settle() {
    let mut before = None;
    loop {
        let now = asleep();
        if now.is_some() && now == before {
            return;
        }
        before = now;
        thread::sleep(Duration::from_micros(50));
    }
}

/// How often each other thread has gone to sleep; `None` if one is awake.
fn asleep() -> Option<Vec<(String, String)>> {
    let mut found = Vec::new();
    for task in fs::read_dir("/proc/self/task").ok()?.flatten() {
        let status = fs::read_to_string(task.path().join("status")).unwrap_or_default();
        let is = |key: &str| status.lines().find_map(|line| line.strip_prefix(key)).unwrap_or("").trim().to_owned();
        if is("Pid:") == is("Tgid:") {
            continue; // this one, or one that has just ended
        }
        if !is("State:").starts_with('S') {
            return None;
        }
        found.push((is("Pid:"), is("voluntary_ctxt_switches:")));
    }
    Some(found)
}
