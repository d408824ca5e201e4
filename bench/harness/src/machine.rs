//! The machine and the versions of the peers, for the head of a page.

use std::process::Command;

/// The cores, the processor and the load. No name of the machine.
pub fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or("unknown processor", |(_, model)| model.trim());
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("unknown");
    format!("{cores} cores ({model}), load {load} at the start")
}

/// A crate with the version that `bench/Cargo.lock` fixes.
pub fn crate_version(name: &str) -> String {
    let lock = include_str!("../../Cargo.lock");
    let after = lock.split_once(&format!("name = \"{name}\"\nversion = \"")).map(|(_, rest)| rest);
    let version = after.and_then(|rest| rest.split('"').next());
    format!("{name} {}", version.unwrap_or("(unknown version)"))
}

/// The first line that a command prints with these arguments; an error if it cannot be run.
///
/// # Errors
///
/// The command cannot be run: it is not installed.
pub fn command_version(command: &str, argument: &str) -> Result<String, String> {
    let output = Command::new(command).arg(argument).output();
    let output = output.map_err(|error| format!("`{command}` cannot be run ({error})"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let text =
        if text.trim().is_empty() { String::from_utf8_lossy(&output.stderr).into_owned() } else { text };
    Ok(text.lines().next().unwrap_or_default().trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::{command_version, crate_version};

    #[test]
    fn versions_are_those_of_the_lock_file() {
        assert!(crate_version("libc").starts_with("libc 0.2."));
        assert_eq!(crate_version("no-such-crate"), "no-such-crate (unknown version)");
    }

    #[test]
    fn a_missing_command_is_an_error() {
        assert!(command_version("no-such-command-here", "-V").unwrap_err().contains("no-such-command"));
    }
}
