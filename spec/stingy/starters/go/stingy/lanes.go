package driver

import (
	"time"

	"stingy.invalid/driver/sched"
)

// start has work done side by side with all else: under control, or by whichever way the runtime has it.
func (c *crewed) start(lane string, work func()) {
	if c.run != nil {
		c.run.Go(lane, work)
	} else {
		go work()
	}
}

// inLane does the work after everything asked of that lane before. A goroutine for each piece of work, rather than one
// for the lane's lifetime, leaves nothing behind when a lane is idle and lets any number wait behind a blocked call.
func (c *crewed) inLane(lane string, work func()) {
	before, after := c.lanes[lane], make(chan struct{})
	c.lanes[lane] = after
	c.start(lane, func() {
		defer close(after)
		if before != nil {
			sched.Recv("", before)
		}
		if !c.abandoned.Load() {
			defer c.mark()()
			unseen(func() { c.working.Add(1) })
			defer unseen(func() { c.working.Add(-1) })
			work()
		}
	})
}

func (c *crewed) busy(lane string) bool {
	last, ok := c.lanes[lane]
	if !ok {
		return false
	}
	select {
	case <-last:
		return false
	default:
		return true
	}
}

// settle waits until nothing moves any more.
func (c *crewed) settle() {
	if c.run != nil {
		c.run.Settle()
	} else {
		settled()
	}
}

func (c *crewed) advance(span time.Duration) {
	if c.run != nil {
		c.run.Advance(span)
		return
	}
	settled()
	time.Sleep(span)
	settled()
}

// trouble is why it cannot go on, if it cannot.
func (c *crewed) trouble() *failure {
	if c.run == nil || c.run.Trouble == nil {
		return nil
	}
	if c.run.Trouble.Kind == "panic" {
		return &failure{"panicked", c.run.Trouble.Text}
	}
	return &failure{"uncontrolled", c.run.Trouble.Text}
}
