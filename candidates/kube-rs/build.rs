//! Which kube is linked stands in Cargo.lock, and nowhere in the program.

use std::{env, fs, process::Command};

fn main() {
    println!("cargo::rerun-if-changed=Cargo.lock");
    let lock = fs::read_to_string("Cargo.lock").expect("cargo writes one before it builds");
    let kube = lock.split("[[package]]").find(|package| package.contains("\nname = \"kube\"\n"));
    let version = kube.and_then(|package| package.split('"').nth(3)).expect("kube is a dependency");
    println!("cargo::rustc-env=KUBE={version}");

    let rustc = Command::new(env::var("RUSTC").unwrap()).arg("--version").output().expect("rustc is running");
    println!("cargo::rustc-env=RUSTC_VERSION={}", String::from_utf8_lossy(&rustc.stdout).trim());
}
