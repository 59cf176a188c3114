//! What drivers for Rust are made of: driver protocol 1, lanes, bursts, and threads that go on in an order that is chosen.
//!
//! A queue comes under control by naming [`sync`], [`thread`] and [`time`] where it named those of `std`. Without the feature
//! `control` these are those of `std`.

mod burst;
mod control;
mod crew;
mod driver;
mod explore;
mod keys;
mod outcomes;
mod processor;
mod protocol;
mod replay;
mod settling;
#[cfg(not(feature = "control"))]
pub use std::{sync, thread, time};
#[cfg(feature = "control")]
pub mod sync;
#[cfg(feature = "control")]
pub mod thread;
#[cfg(feature = "control")]
pub mod time;

pub use driver::{queues, serve, Driver};
pub use replay::replay;
