//! What `std::thread` has, with threads that go on when it is their turn, and sleep in virtual time.

use crate::control::{self, join, within, Joined};
use std::any::type_name;
use std::io;
use std::panic::Location;
pub use std::thread::*;
use std::time::Duration;

pub struct JoinHandle<T> {
    real: std::thread::JoinHandle<T>,
    controlled: Option<Joined>,
}

impl<T> JoinHandle<T> {
    #[track_caller]
    pub fn join(self) -> Result<T> {
        if let Some(whom) = &self.controlled {
            join(whom, Location::caller());
        }
        self.real.join()
    }

    pub fn thread(&self) -> &Thread {
        self.real.thread()
    }

    pub fn is_finished(&self) -> bool {
        self.real.is_finished()
    }
}

#[track_caller]
pub fn spawn<T: Send + 'static>(what: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    Builder::new().spawn(what).expect("a thread starts")
}

#[derive(Debug)]
pub struct Builder(std::thread::Builder);

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

impl Builder {
    pub fn new() -> Self {
        Builder(std::thread::Builder::new())
    }

    pub fn name(self, name: String) -> Self {
        Builder(self.0.name(name))
    }

    pub fn stack_size(self, size: usize) -> Self {
        Builder(self.0.stack_size(size))
    }

    #[track_caller]
    pub fn spawn<F: FnOnce() -> T + Send + 'static, T: Send + 'static>(self, what: F) -> io::Result<JoinHandle<T>> {
        let (real, controlled) = control::spawn(function::<F>(), Location::caller(), |task| match task {
            Some((run, id)) => self.0.spawn(move || within(run, id, what)),
            None => self.0.spawn(what),
        })?;
        Ok(JoinHandle { real, controlled })
    }
}

/// The function that a closure is written in, or itself where it has a name.
fn function<F>() -> &'static str {
    type_name::<F>().split("::").filter(|part| !part.starts_with('{')).last().unwrap_or("thread")
}

#[track_caller]
pub fn sleep(span: Duration) {
    if !control::sleep(span, Location::caller()) {
        std::thread::sleep(span);
    }
}

#[track_caller]
pub fn yield_now() {
    control::point(Location::caller(), "yield_now");
    std::thread::yield_now();
}
