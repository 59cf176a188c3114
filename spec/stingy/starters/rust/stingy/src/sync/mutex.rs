use crate::control::{acquire, point, release, took, Claim};
use std::fmt::{Debug, Display, Formatter, Result as Written};
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::{self, LockResult, PoisonError, TryLockError, TryLockResult};

/// A `std::sync::Mutex` for which a thread has its turn first.
#[derive(Default)]
pub struct Mutex<T: ?Sized>(sync::Mutex<T>);

pub struct MutexGuard<'a, T: ?Sized> {
    held: Option<sync::MutexGuard<'a, T>>, // None once it has been let go of
    lock: &'a sync::Mutex<T>,
}

impl<T> Mutex<T> {
    pub const fn new(value: T) -> Self {
        Mutex(sync::Mutex::new(value))
    }

    pub fn into_inner(self) -> LockResult<T> {
        self.0.into_inner()
    }
}

impl<T: ?Sized> Mutex<T> {
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        acquire(alone(&self.0), Location::caller(), "lock");
        really(&self.0)
    }

    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        point(Location::caller(), "try_lock");
        let taken = match self.0.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(TryLockError::WouldBlock),
            Err(TryLockError::Poisoned(held)) => Err(PoisonError::new(guard(held.into_inner(), &self.0)).into()),
            Ok(held) => Ok(guard(held, &self.0)),
        };
        took(alone(&self.0), Location::caller(), "try_lock");
        taken
    }

    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.0.get_mut()
    }

    pub fn is_poisoned(&self) -> bool {
        self.0.is_poisoned()
    }

    pub fn clear_poison(&self) {
        self.0.clear_poison()
    }
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    /// The lock, and the real guard of it, for who lets go of it to wait.
    pub(super) fn into_parts(mut self) -> (&'a sync::Mutex<T>, sync::MutexGuard<'a, T>) {
        let held = self.held.take().expect("it is held");
        (self.lock, held)
    }
}

pub(super) fn guard<'a, T: ?Sized>(held: sync::MutexGuard<'a, T>, lock: &'a sync::Mutex<T>) -> MutexGuard<'a, T> {
    MutexGuard { held: Some(held), lock }
}

/// Where a lock lies, by which it is known.
pub(super) fn place<L: ?Sized>(lock: &L) -> usize {
    (lock as *const L).cast::<()>() as usize
}

fn alone<T: ?Sized>(lock: &sync::Mutex<T>) -> Claim {
    Claim { lock: place(lock), alone: true }
}

/// Take the real lock, which is free for whoever has had their turn.
pub(super) fn really<T: ?Sized>(lock: &sync::Mutex<T>) -> LockResult<MutexGuard<'_, T>> {
    match lock.lock() {
        Ok(held) => Ok(guard(held, lock)),
        Err(poison) => Err(PoisonError::new(guard(poison.into_inner(), lock))),
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        if self.held.take().is_some() {
            release(place(self.lock));
        }
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.held.as_ref().expect("it is held")
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.held.as_mut().expect("it is held")
    }
}

impl<T: ?Sized + Debug> Debug for Mutex<T> {
    fn fmt(&self, to: &mut Formatter) -> Written {
        Debug::fmt(&self.0, to)
    }
}

impl<T> From<T> for Mutex<T> {
    fn from(value: T) -> Self {
        Mutex::new(value)
    }
}

impl<T: ?Sized + Debug> Debug for MutexGuard<'_, T> {
    fn fmt(&self, to: &mut Formatter) -> Written {
        Debug::fmt(&**self, to)
    }
}

impl<T: ?Sized + Display> Display for MutexGuard<'_, T> {
    fn fmt(&self, to: &mut Formatter) -> Written {
        Display::fmt(&**self, to)
    }
}
