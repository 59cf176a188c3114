//! Programs that lanes run at once: a task each, among those of the candidate.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

use futures::future::join_all;
use serde_json::{Value, json};
use tokio::task::yield_now;

use crate::{
    controller::Controller,
    protocol::{Failure, Request},
    time::{Counted, settle},
};

/// Orders the calls of all bursts.
static STAMPS: AtomicU64 = AtomicU64::new(1);

/// What each lane has called, and what it was answered, when nothing can go on any more.
pub async fn run(programs: &BTreeMap<String, Vec<Vec<Value>>>, controller: &Controller) -> Result<Vec<Value>, Failure> {
    let mut lanes = Vec::new();
    for (lane, program) in programs {
        let steps = program.iter().map(|words| Request::step(lane, words)).collect::<Result<Vec<_>, _>>()?;
        let controller = controller.clone();
        lanes.push(tokio::spawn(Counted(Box::pin(async move {
            let mut made = Vec::new();
            for step in steps {
                yield_now().await; // here others may go first
                let start = STAMPS.fetch_add(1, Relaxed);
                if step.op == "start" {
                    controller.start(); // this call returns when the controller is stopped, and no burst stops one
                    made.push(json!({ "lane": step.lane, "op": step.op, "start": start, "end": null }));
                    break;
                }
                let val = controller.call(&step)?;
                let end = STAMPS.fetch_add(1, Relaxed);
                made.push(json!({
                    "lane": step.lane, "op": step.op, "item": step.item, "val": val, "start": start, "end": end
                }));
            }
            Ok(made)
        }))));
    }
    let made = join_all(lanes).await;
    settle().await;
    let made: Result<Vec<Vec<Value>>, Failure> = made.into_iter().map(|lane| lane.expect("no call panics")).collect();
    Ok(made?.into_iter().flatten().collect())
}
