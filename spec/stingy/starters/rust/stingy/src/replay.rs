//! A rule that was broken, broken once more or not.

use crate::protocol::text;
use serde_json::{json, Value};
use std::collections::{BTreeSet, VecDeque};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The id of a request to settle, which is no part of what was said.
const SETTLING: i64 = -1;

/// Says to a driver what was said to it when a rule was broken, in the order that broke it, and panics with `why` if that goes
/// the same way again. If it goes another way, nothing is said of what that way is worth: to judge it is for stingy. The
/// conversation is what `stingy replay --export rust` writes, requests and answers by driver protocol 1. The driver is a process of
/// its own, which the candidate may end or keep for ever.
pub fn replay(driver: &str, why: &str, conversation: &str) {
    let said: Vec<Value> = serde_json::from_str(conversation).expect("a list of what was said");
    let mut talk = Talk::begin(driver);
    match talk.repeat(&said) {
        Some(otherwise) => println!("it is not broken in this way any more: {otherwise}"),
        None => panic!("{why}"),
    }
}

/// With a driver in another process.
struct Talk {
    driver: Child,
    asks: ChildStdin,
    answers: BufReader<ChildStdout>,
    heard: VecDeque<Value>,
}

impl Talk {
    fn begin(driver: &str) -> Self {
        let started = Command::new(driver).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut driver = started.unwrap_or_else(|why| panic!("{driver} does not start: {why}"));
        let asks = driver.stdin.take().expect("it is piped");
        let answers = BufReader::new(driver.stdout.take().expect("it is piped"));
        let mut talk = Talk { driver, asks, answers, heard: VecDeque::new() };
        talk.ask(&json!({"id": 0, "op": "hello", "protocol": 1}));
        let hello = talk.heard.pop_front().unwrap_or_default();
        let controls = !hello["val"]["capabilities"]["schedules"].is_null();
        assert!(controls, "nothing is under control here: the queue is to name stingy::sync in the place of std::sync");
        talk
    }

    /// Says everything again, until it goes otherwise; the first that does.
    fn repeat(&mut self, said: &[Value]) -> Option<String> {
        for message in said {
            let heard = self.heard.front();
            match (message["op"].is_string(), heard) {
                (true, Some(heard)) => return Some(format!("{heard} is answered here already")),
                (true, None) => self.ask(message),
                (false, None) => return Some(format!("{message} is not answered now")),
                (false, Some(heard)) if !is_same(message, heard) => return Some(format!("{heard} is answered now")),
                (false, Some(_)) => drop(self.heard.pop_front()),
            }
        }
        self.heard.front().map(|heard| format!("{heard} is answered in the end"))
    }

    /// Says something, and hears what is answered until nothing moves any more.
    fn ask(&mut self, message: &Value) {
        let settle = json!({"id": SETTLING, "op": "settle"});
        writeln!(self.asks, "{message}\n{settle}").expect("the driver listens");
        loop {
            let mut line = String::new();
            let read = self.answers.read_line(&mut line).expect("the driver answers in UTF-8");
            assert!(read > 0, "the driver has ended when it was to answer {message}");
            let answer: Value = serde_json::from_str(&line).expect("the driver answers in JSON");
            assert!(answer["error"]["kind"] != "uncontrolled", "the candidate cannot be followed: {answer}");
            if answer["id"] == SETTLING {
                return;
            }
            if !is_reading(&answer, message) {
                self.heard.push_back(answer);
            }
        }
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// Whether it tells a reading of the clock, if that, and nothing else.
fn is_reading(answer: &Value, message: &Value) -> bool {
    answer["ok"] == true && ["new", "advance", "step"].contains(&text(&message["op"])) && answer["id"] == message["id"]
}

fn is_same(said: &Value, now: &Value) -> bool {
    let (before, after) = (&said["val"], &now["val"]);
    if said["id"] != now["id"] || said["error"]["kind"] != now["error"]["kind"] {
        return false;
    }
    if before["calls"].is_null() { before == after } else { is_same_history(before, after) }
}

/// Whether its calls have come to the same now, and all that was ordered is so now.
fn is_same_history(said: &Value, now: &Value) -> bool {
    let (before, after) = (calls(said), calls(now));
    let alike = waiting(said) == waiting(now) && before.iter().map(|call| outcome(call)).eq(after.iter().map(|call| outcome(call)));
    let places = || 0..before.len();
    alike && places().all(|a| places().all(|b| !is_before(before[a], before[b]) || is_before(after[a], after[b])))
}

/// By lane.
fn calls(history: &Value) -> Vec<&Value> {
    let mut calls: Vec<&Value> = history["calls"].as_array().into_iter().flatten().collect();
    calls.sort_by_key(|call| (text(&call["lane"]), call["start"].as_i64()));
    calls
}

fn outcome(call: &Value) -> ([&Value; 5], bool) {
    ([&call["lane"], &call["op"], &call["item"], &call["val"], &call["error"]["kind"]], call["end"].is_null())
}

fn waiting(history: &Value) -> BTreeSet<&str> {
    let each = history["waiting"].as_array().into_iter().flatten();
    each.map(|waits| waits.as_str().unwrap_or_else(|| text(&waits["who"]))).collect()
}

fn is_before(call: &Value, later: &Value) -> bool {
    call["end"].as_i64().is_some_and(|end| Some(end) < later["start"].as_i64())
}
