package sched

import "sync/atomic"

// Signs of life may be looked at by whoever runs outside all bubbles, where time passes by itself.
var (
	turning atomic.Pointer[G] // whose turn it is; nil if nobody's
	signs   atomic.Int64      // how many turns there were, and looks at the clock: who does that may wait for time to pass
)

// lives leaves a sign, and none for the race detector.
func lives() {
	hide()
	signs.Add(1)
	show()
}

// Turning is whose turn it is, which nobody's is if there is no name, and how many signs of life there were so far.
func Turning() (name string, soFar int64) {
	if g := turning.Load(); g != nil {
		name = g.Name
	}
	return name, signs.Load()
}
