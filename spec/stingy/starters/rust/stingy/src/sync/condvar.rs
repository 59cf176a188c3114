use super::mutex::{guard, place, really};
use super::MutexGuard;
use crate::control::{notify, wait, Signal};
use std::panic::Location;
use std::sync::{self, LockResult, PoisonError};
use std::time::Duration;

/// A `std::sync::Condvar` whose waiters wait in the order that is chosen, and as long as virtual time has it.
#[derive(Debug, Default)]
pub struct Condvar(sync::Condvar);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    pub fn timed_out(&self) -> bool {
        self.0
    }
}

type Timed<'a, T> = LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)>;

impl Condvar {
    pub const fn new() -> Self {
        Condvar(sync::Condvar::new())
    }

    #[track_caller]
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        untimed(self.wait_for(guard, None, Location::caller()))
    }

    #[track_caller]
    pub fn wait_while<'a, T>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: impl FnMut(&mut T) -> bool,
    ) -> LockResult<MutexGuard<'a, T>> {
        while condition(&mut guard) {
            guard = untimed(self.wait_for(guard, None, Location::caller()))?;
        }
        Ok(guard)
    }

    #[track_caller]
    pub fn wait_timeout<'a, T>(&self, guard: MutexGuard<'a, T>, span: Duration) -> Timed<'a, T> {
        self.wait_for(guard, Some(span), Location::caller())
    }

    #[track_caller]
    pub fn wait_timeout_while<'a, T>(
        &self,
        mut guard: MutexGuard<'a, T>,
        span: Duration,
        mut condition: impl FnMut(&mut T) -> bool,
    ) -> Timed<'a, T> {
        let began = crate::time::Instant::now();
        loop {
            if !condition(&mut guard) {
                return Ok((guard, WaitTimeoutResult(false)));
            }
            let Some(left) = span.checked_sub(began.elapsed()).filter(|left| !left.is_zero()) else {
                return Ok((guard, WaitTimeoutResult(true)));
            };
            guard = self.wait_for(guard, Some(left), Location::caller())?.0;
        }
    }

    #[track_caller]
    pub fn notify_one(&self) {
        if !notify(place(self), false, Location::caller()) {
            self.0.notify_one();
        }
    }

    #[track_caller]
    pub fn notify_all(&self) {
        if !notify(place(self), true, Location::caller()) {
            self.0.notify_all();
        }
    }

    fn wait_for<'a, T>(&self, from: MutexGuard<'a, T>, span: Option<Duration>, at: &'static Location<'static>) -> Timed<'a, T> {
        let (lock, held) = from.into_parts();
        let mut held = Some(held);
        let timed_out = match wait(place(self), place(lock), span, at, || held = None) {
            Signal::Uncontrolled => return self.really(lock, held.expect("nobody has let go of it"), span),
            came => matches!(came, Signal::TimedOut),
        };
        match really(lock) {
            Ok(guard) => Ok((guard, WaitTimeoutResult(timed_out))),
            Err(poison) => Err(PoisonError::new((poison.into_inner(), WaitTimeoutResult(timed_out)))),
        }
    }

    /// Wait as `std` does.
    fn really<'a, T>(&self, lock: &'a sync::Mutex<T>, held: sync::MutexGuard<'a, T>, span: Option<Duration>) -> Timed<'a, T> {
        let waited = match span {
            Some(span) => self.0.wait_timeout(held, span).map_err(PoisonError::into_inner).map(|(held, out)| (held, out.timed_out())).map_err(|(held, out)| (held, out.timed_out())),
            None => self.0.wait(held).map(|held| (held, false)).map_err(|poison| (poison.into_inner(), false)),
        };
        let told = |(held, out)| (guard(held, lock), WaitTimeoutResult(out));
        waited.map(told).map_err(|poisoned| PoisonError::new(told(poisoned)))
    }
}

fn untimed<T>(waited: Timed<'_, T>) -> LockResult<MutexGuard<'_, T>> {
    waited.map(|(guard, _)| guard).map_err(|poison| PoisonError::new(poison.into_inner().0))
}
