//! Atomics before each operation of which others may go on. Orders weaker than `SeqCst` are not explored.

use crate::control::point;
use std::panic::Location;
pub use std::sync::atomic::*;

macro_rules! atomic {
    ($($name:ident of $value:ty: $($op:ident)*;)*) => {$(
        #[derive(Debug, Default)]
        pub struct $name(std::sync::atomic::$name);

        impl $name {
            pub const fn new(value: $value) -> Self {
                $name(std::sync::atomic::$name::new(value))
            }

            pub fn into_inner(self) -> $value {
                self.0.into_inner()
            }

            pub fn get_mut(&mut self) -> &mut $value {
                self.0.get_mut()
            }

            #[track_caller]
            pub fn load(&self, order: Ordering) -> $value {
                point(Location::caller(), "load");
                self.0.load(order)
            }

            #[track_caller]
            pub fn store(&self, value: $value, order: Ordering) {
                point(Location::caller(), "store");
                self.0.store(value, order)
            }

            #[track_caller]
            pub fn compare_exchange(&self, now: $value, then: $value, set: Ordering, get: Ordering) -> Result<$value, $value> {
                point(Location::caller(), "compare_exchange");
                self.0.compare_exchange(now, then, set, get)
            }

            #[track_caller]
            pub fn compare_exchange_weak(&self, now: $value, then: $value, set: Ordering, get: Ordering) -> Result<$value, $value> {
                point(Location::caller(), "compare_exchange_weak");
                self.0.compare_exchange(now, then, set, get)
            }

            #[track_caller]
            pub fn fetch_update(&self, set: Ordering, get: Ordering, f: impl FnMut($value) -> Option<$value>) -> Result<$value, $value> {
                point(Location::caller(), "fetch_update");
                self.0.fetch_update(set, get, f)
            }

            $(#[track_caller]
            pub fn $op(&self, value: $value, order: Ordering) -> $value {
                point(Location::caller(), stringify!($op));
                self.0.$op(value, order)
            })*
        }

        impl From<$value> for $name {
            fn from(value: $value) -> Self {
                $name::new(value)
            }
        }
    )*};
}

atomic! {
    AtomicBool of bool: swap fetch_and fetch_nand fetch_or fetch_xor;
    AtomicI32 of i32: swap fetch_add fetch_sub fetch_and fetch_or fetch_xor fetch_max fetch_min;
    AtomicI64 of i64: swap fetch_add fetch_sub fetch_and fetch_or fetch_xor fetch_max fetch_min;
    AtomicIsize of isize: swap fetch_add fetch_sub fetch_and fetch_or fetch_xor fetch_max fetch_min;
    AtomicU8 of u8: swap fetch_add fetch_sub fetch_and fetch_or fetch_xor fetch_max fetch_min;
    AtomicU32 of u32: swap fetch_add fetch_sub fetch_and fetch_or fetch_xor fetch_max fetch_min;
    AtomicU64 of u64: swap fetch_add fetch_sub fetch_and fetch_or fetch_xor fetch_max fetch_min;
    AtomicUsize of usize: swap fetch_add fetch_sub fetch_and fetch_or fetch_xor fetch_max fetch_min;
}
