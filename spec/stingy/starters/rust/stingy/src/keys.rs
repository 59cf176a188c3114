//! Written by python -m lab derive.

/// The keys of the request for an op, besides id, op and lane.
pub fn keys_of(op: &str) -> &'static [&'static str] {
    match op {
        "add" | "done" | "add_rate_limited" | "forget" | "num_requeues" | "when" => &["item"],
        "pause" => &["ns"],
        "add_after" => &["item", "ns"],
        "finish" => &["item", "kind", "ns"],
        "add_with_opts" => &["item", "priority", "ns", "rate_limited"],
        "add_all_with_opts" => &["items", "priority", "ns", "rate_limited"],
        "compute" => &["namespace", "service", "pods"],
        "delete" => &["namespace", "name"],
        "format" => &["instant"],
        "parse" => &["text"],
        "update" | "remove" => &["slice"],
        "read_again" => &["number"],
        "sync" => &["program"],
        _ => &[],
    }
}

/// True if the op takes an item. If a burst leaves out the item, it is the one that the lane has held longest.
pub fn takes_item(op: &str) -> bool {
    keys_of(op).contains(&"item")
}
