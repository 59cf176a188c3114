package sched

import (
	"sync/atomic"
	"time"
	"unsafe"
)

// outside is a reading from outside all bubbles: it tells of the monotonic clock as well, which no reading inside does.
var outside = time.Now()

// stepped is by how much the wall clock has been set.
var stepped atomic.Int64

// SetClock says that the wall clock has been set by so much. In a bubble that is a time that has passed, or another bubble; the
// monotonic clock is not to know of it.
func SetClock(by time.Duration) { stepped.Add(int64(by)) }

// reading is what a time.Time consists of.
type reading struct {
	wall uint64
	ext  int64 // of the monotonic clock, if there is one
	loc  *time.Location
}

// Now is time.Now, with a monotonic reading in a bubble, too: so much time has passed, however the wall clock was set.
func Now() time.Time {
	lives()
	now := time.Now()
	if isMonotonic(now) {
		return now
	}
	both := outside.Add(now.Sub(outside))
	if !isMonotonic(both) || !both.Equal(now) { // too far from today for the two to find room
		return now
	}
	(*reading)(unsafe.Pointer(&both)).ext -= stepped.Load()
	return both
}

// isMonotonic is whether it has a monotonic reading, which Round takes off.
func isMonotonic(t time.Time) bool { return t != t.Round(0) }

// Since is time.Since.
func Since(t time.Time) time.Duration { return Now().Sub(t) }

// Until is time.Until.
func Until(t time.Time) time.Duration { return t.Sub(Now()) }
