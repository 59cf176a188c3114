package sched

import (
	"time"
	"unsafe"
)

// channel is what is seen of one without taking anything from it: nothing else tells whether a case of a select is ready.
type channel struct {
	address  *hchan
	buffered bool
}

// hchan and timer begin as those of the runtime do.
type hchan struct {
	count, size uint
	buffer      unsafe.Pointer
	element     uint16
	closed      uint32
	timer       *timer // that feeds it
}

type timer struct {
	mutex         uintptr
	states        [4]uint8
	blocked, rand uint32
	when          int64 // it is due; 0 for never
}

// transparent is whether they do, in the Go that this was built by.
var transparent = looksThrough()

func seenAs[C any](ch C) channel {
	address := *(**hchan)(unsafe.Pointer(&ch))
	return channel{address, address != nil && address.size > 0 && !address.isTimed()}
}

// ready is whether one can receive from it, or send, without anybody who waits.
func (ch channel) ready(receives bool) bool {
	if !transparent || ch.address == nil {
		return false
	}
	c := ch.address
	if c.isTimed() {
		return receives && (c.count > 0 || c.timer.when > 0 && c.timer.when <= time.Now().UnixNano())
	}
	return c.closed != 0 || receives && c.count > 0 || !receives && c.count < c.size
}

func (c *hchan) isTimed() bool { return transparent && c.timer != nil }

// line is of those who wait for a channel.
type line struct {
	of       *hchan
	receives bool
}

func (ch channel) receivers() line { return line{ch.address, true} }
func (ch channel) senders() line   { return line{ch.address, false} }

// looksThrough tries it with channels and timers of which all is known.
func looksThrough() bool {
	const size = uint16(unsafe.Sizeof(0))
	open, over := make(chan int, 2), make(chan int, 2)
	open <- 1
	close(over)
	one, other := *(**hchan)(unsafe.Pointer(&open)), *(**hchan)(unsafe.Pointer(&over))
	if *one != (hchan{1, 2, one.buffer, size, 0, nil}) || *other != (hchan{0, 2, other.buffer, size, 1, nil}) {
		return false
	}
	soon, late := time.NewTimer(time.Hour), time.NewTimer(3*time.Hour)
	defer soon.Stop()
	defer late.Stop()
	first, second := timerOf(soon), timerOf(late)
	if first == nil || second == nil {
		return false
	}
	apart := time.Duration(second.when - first.when)
	return first.when > 0 && apart >= 2*time.Hour && apart < 2*time.Hour+time.Minute
}

// timerOf is the timer that feeds its channel, which lies in what a time.Timer is.
func timerOf(t *time.Timer) *timer {
	fed := (*(**hchan)(unsafe.Pointer(&t.C))).timer
	if in := uintptr(unsafe.Pointer(fed)) - uintptr(unsafe.Pointer(t)); in == 0 || in > unsafe.Sizeof(*fed) {
		return nil
	}
	return fed
}
