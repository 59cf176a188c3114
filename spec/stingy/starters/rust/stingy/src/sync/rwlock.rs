use super::mutex::place;
use crate::control::{acquire, point, release, took, Claim};
use std::fmt::{Debug, Formatter, Result as Written};
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::{self, LockResult, PoisonError, TryLockError, TryLockResult};

/// A `std::sync::RwLock` for which a thread has its turn first.
#[derive(Default)]
pub struct RwLock<T: ?Sized>(sync::RwLock<T>);

macro_rules! guards {
    ($guard:ident, $of:ident, $way:ident, $try_way:ident, $alone:literal) => {
        pub struct $guard<'a, T: ?Sized> {
            held: Option<sync::$of<'a, T>>,
            lock: usize,
        }

        impl<T: ?Sized> RwLock<T> {
            #[track_caller]
            pub fn $way(&self) -> LockResult<$guard<'_, T>> {
                acquire(Claim { lock: place(&self.0), alone: $alone }, Location::caller(), stringify!($way));
                let lock = place(&self.0);
                match self.0.$way() {
                    Ok(held) => Ok($guard { held: Some(held), lock }),
                    Err(poison) => Err(PoisonError::new($guard { held: Some(poison.into_inner()), lock })),
                }
            }

            #[track_caller]
            pub fn $try_way(&self) -> TryLockResult<$guard<'_, T>> {
                point(Location::caller(), stringify!($try_way));
                let lock = place(&self.0);
                let taken = match self.0.$try_way() {
                    Err(TryLockError::WouldBlock) => return Err(TryLockError::WouldBlock),
                    Err(TryLockError::Poisoned(poison)) => {
                        Err(PoisonError::new($guard { held: Some(poison.into_inner()), lock }).into())
                    }
                    Ok(held) => Ok($guard { held: Some(held), lock }),
                };
                took(Claim { lock, alone: $alone }, Location::caller(), stringify!($try_way));
                taken
            }
        }

        impl<T: ?Sized> Drop for $guard<'_, T> {
            fn drop(&mut self) {
                self.held = None;
                release(self.lock);
            }
        }

        impl<T: ?Sized> Deref for $guard<'_, T> {
            type Target = T;
            fn deref(&self) -> &T {
                self.held.as_ref().expect("it is held")
            }
        }
    };
}

guards!(RwLockReadGuard, RwLockReadGuard, read, try_read, false);
guards!(RwLockWriteGuard, RwLockWriteGuard, write, try_write, true);

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.held.as_mut().expect("it is held")
    }
}

impl<T> RwLock<T> {
    pub const fn new(value: T) -> Self {
        RwLock(sync::RwLock::new(value))
    }

    pub fn into_inner(self) -> LockResult<T> {
        self.0.into_inner()
    }
}

impl<T: ?Sized> RwLock<T> {
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

impl<T: ?Sized + Debug> Debug for RwLock<T> {
    fn fmt(&self, to: &mut Formatter) -> Written {
        Debug::fmt(&self.0, to)
    }
}
