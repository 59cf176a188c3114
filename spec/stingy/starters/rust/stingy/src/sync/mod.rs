//! What `std::sync` has, with the locks, signals and atomics under control. What is not named here is that of `std`, which
//! nobody controls: whoever waits in it cannot be followed.

pub mod atomic;
mod condvar;
mod mutex;
mod rwlock;

pub use condvar::{Condvar, WaitTimeoutResult};
pub use mutex::{Mutex, MutexGuard};
pub use rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use std::sync::*;
