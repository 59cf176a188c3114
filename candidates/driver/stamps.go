package driver

import "sync/atomic"

// stamps orders the calls of all bursts. Clock readings would not do: the virtual clock stands still during a burst.
var stamps atomic.Int64
