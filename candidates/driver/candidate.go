package driver

import (
	"fmt"
	"sync/atomic"
)

// Candidate is one implementation with what was set out around it.
type Candidate struct {
	Parts []any  // a call goes to the first that has such a method
	End   func() // ends what it does in the background
}

// crewed is a candidate with everything that is calling it.
type crewed struct {
	Candidate
	ops       Ops
	lanes     map[string]chan struct{} // closed when the last thing asked of that lane is over
	working   atomic.Int64             // goroutines with the label that work for lanes
	label     string                   // of every goroutine that was started for it, or by it
	abandoned atomic.Bool
}

func crew(ops Ops, made func() Candidate) *crewed {
	c := &crewed{ops: ops, lanes: map[string]chan struct{}{}, label: fmt.Sprint(crews.Add(1))}
	c.labelled(func() { c.Candidate = made() })
	c.Parts = append(c.Parts, c)
	return c
}

// abandon ends what still calls the candidate, and what it does by itself: goroutines left blocked in it would pile up
// over thousands of candidates, and its tickers would tick whenever the clock is moved. Calls that could return have been
// answered before; those released here are not, for the next candidate must not hear of them.
func (c *crewed) abandon() {
	settled()
	c.abandoned.Store(true)
	go func() { // on the side: if even this blocks, the driver need not
		defer func() { _ = recover() }()
		c.End()
	}()
	settled()
}

// inLane does the work after everything asked of that lane before. A goroutine for each piece of work, rather than one
// for the lane's lifetime, leaves nothing behind when a lane is idle and lets any number wait behind a blocked call.
func (c *crewed) inLane(lane string, work func()) {
	before, after := c.lanes[lane], make(chan struct{})
	c.lanes[lane] = after
	go func() {
		defer close(after)
		if before != nil {
			<-before
		}
		if !c.abandoned.Load() {
			c.labelled(func() {
				c.working.Add(1)
				defer c.working.Add(-1)
				work()
			})
		}
	}()
}

func (c *crewed) call(req Request) (val any, bad *failure) {
	defer func() {
		if p := recover(); p != nil {
			val, bad = nil, raised(fmt.Sprint("panic: ", p))
		}
	}()
	return c.ops[req.Op].call(c.Parts, req)
}
