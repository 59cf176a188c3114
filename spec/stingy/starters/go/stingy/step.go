package driver

import (
	"time"

	"stingy.invalid/driver/sched"
)

const (
	year         = 365 * 24 * int64(time.Hour)
	bubblesBegin = 946_684_800 * int64(time.Second) // in the year 2000
	firstReading = bubblesBegin + 20*year + oddly   // with room to set the clock back
	lastReading  = bubblesBegin + 200*year          // with room to let time pass

	// oddly is past the whole second at which a bubble begins: who cuts readings down to seconds is to be seen.
	oddly = 123_456_789
	// apart are the readings at which one candidate begins and the next: who notes the first for all is to be seen.
	apart = int64(time.Hour) + 234_567_891
	// lastBegin is the reading at which a candidate begins at the latest; then the readings begin anew.
	lastBegin = bubblesBegin + 150*year
)

// step sets the wall clock while no time passes. In a bubble that cannot be done; but every bubble has a clock of its own,
// and a passive candidate can go on in another one, where it is so much later, or earlier. The monotonic clock is
// not set: it tells how much time has passed, where the candidate's code is under control.
type step struct {
	from, to int64 // the readings before and then, in nanoseconds
	then     func()
}

// serveStep has this bubble end: because the clock is set, or for a new candidate, whose clock shows another time.
func (d *Driver) serveStep(req Request) {
	if req.Op == "new" {
		d.abandon()
		from := time.Now().UnixNano()
		to := from + apart
		if to < firstReading || to > lastBegin {
			to = firstReading
		}
		d.step = &step{from, to, func() {
			val, bad := d.make(req)
			answer(req.ID, val, bad)
		}}
		return
	}
	if d.candidate != nil && !d.candidate.passive {
		answer(req.ID, nil, unsupported("a clock that is set while a candidate may do something by itself"))
		return
	}
	from := time.Now().UnixNano()
	to := from + int64(req.NS)
	if to < bubblesBegin || to > lastReading {
		answer(req.ID, nil, unsupported("a clock that is set to a time outside the years 2000 to 2200"))
		return
	}
	d.step = &step{from, to, func() {
		if d.candidate != nil {
			clear(d.candidate.lanes) // none is busy, and their channels are the old bubble's
		}
		answer(req.ID, now(), nil)
	}}
}

// finish waits, in another bubble, until it is as late as it is to be.
func (s *step) finish() {
	time.Sleep(time.Duration(s.to - time.Now().UnixNano()))
	sched.SetClock(time.Duration(s.to - s.from))
	s.then()
}
