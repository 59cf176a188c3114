//! Threads that go on one at a time, in an order that a strategy chooses. A thread parks before each operation that threads
//! meet in, and goes on when it is its turn; what it does then is real.
#![cfg_attr(not(feature = "control"), allow(dead_code))]

mod place;
mod run;
mod strategies;
mod task;
mod trail;
mod want;

pub use place::{Place, SOURCES};
pub use run::{go_on_unwinding, Run};
pub use strategies::{Fair, Pct, Random, Replay, Sparse, Strategy};
pub use trail::{choice, chosen, Turn};
pub use want::{acquire, at_place, calls, join, notify, now, point, release, returned, sleep, spawn, took, wait, within, Claim, Joined, Signal};
