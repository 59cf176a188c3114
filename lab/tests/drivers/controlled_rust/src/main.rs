//! A driver for a small queue that is right, but for a fault if it is told to have one.
mod queue;
mod theirs;

use queue::Queue;
use serde_json::{json, Value};
use std::sync::LazyLock;

pub static FAULT: LazyLock<String> = LazyLock::new(|| std::env::args().nth(1).unwrap_or_default());

pub fn has(fault: &str) -> bool {
    *FAULT == fault
}

fn call(queue: &Queue, op: &str, item: &str, keys: &Value) -> Option<Value> {
    Some(match op {
        "add" => json!(queue.add(item)),
        "add_after" => json!(queue.add_after(item, keys["ns"].as_u64().unwrap_or_default())),
        "get" => handed_out(queue.get()),
        "done" => json!(queue.done(item)),
        "len" => json!(queue.len()),
        "shut_down" => json!(queue.shut_down()),
        _ => json!(queue.shutting_down()),
    })
}

fn handed_out(item: Option<String>) -> Value {
    json!({"item": item, "shutdown": item.is_none()})
}

fn theirs(queue: &theirs::Queue, op: &str, item: &str, _: &Value) -> Option<Value> {
    Some(match op {
        "add" => json!(queue.add(item)),
        "get" => handed_out(queue.get()),
        "done" => json!(queue.done(item)),
        "len" => json!(queue.len()),
        "shut_down" => json!(queue.shut_down()),
        _ => json!(queue.shutting_down()),
    })
}

fn main() {
    const OPS: &[&str] = &["add", "get", "done", "len", "shut_down", "shutting_down", "add_after"];
    let sources = env!("CARGO_MANIFEST_DIR");
    if has("is of std") {
        let ops = &OPS[..6];
        let (impls, make) = (stingy::queues(ops), |_: &str, _: &Value| theirs::Queue::default());
        stingy::serve(stingy::Driver { name: "std", sources, impls, ops, make, call: theirs })
    }
    let (impls, make) = (stingy::queues(OPS), |_: &str, _: &Value| Queue::new());
    stingy::serve(stingy::Driver { name: "controlled", sources, impls, ops: OPS, make, call })
}
