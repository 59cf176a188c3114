package driver

import (
	"context"
	"fmt"
	"sync/atomic"

	"stingy.invalid/driver/sched"
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
	passive   bool
	run       *sched.Run               // nil where nothing is under control
	lanes     map[string]chan struct{} // closed when the last thing asked of that lane is over
	working   atomic.Int64             // goroutines with the label that work for lanes
	label     string                   // of every goroutine that was started for it, or by it …
	labels    context.Context          // … and what holds it
	abandoned atomic.Bool
}

func crew(ops Ops, made func() Candidate, controlled bool) *crewed {
	c := &crewed{ops: ops, lanes: map[string]chan struct{}{}, label: fmt.Sprint(crews.Add(1))}
	c.labels = labels(c.label)
	if controlled {
		c.run = sched.Begin()
		c.run.Go("producer", func() {
			defer c.mark()()
			c.Candidate = made()
		})
		if c.run.Settle(); c.End == nil {
			panic(fmt.Sprint("its constructor does not return: ", c.trouble()))
		}
	} else {
		sched.Free()
		off := c.mark()
		c.Candidate = made()
		off()
	}
	c.Parts = append(c.Parts, c)
	return c
}

// abandon ends what still calls the candidate, and what it does by itself: goroutines left blocked in it would pile up
// over thousands of candidates, and its tickers would tick whenever the clock is moved. Calls that could return have been
// answered before; those released here are not, for the next candidate must not hear of them.
func (c *crewed) abandon() {
	c.settle()
	c.abandoned.Store(true)
	c.start("the end", func() { // on the side: if even this blocks, the driver need not
		defer func() { _ = recover() }()
		c.End()
	})
	c.settle()
	if c.run != nil {
		c.run.End()
	}
}

func (c *crewed) call(req Request) (val any, bad *failure) {
	defer func() {
		if p := recover(); p != nil {
			val, bad = nil, raised(fmt.Sprint("panic: ", p))
		}
	}()
	return c.ops[req.Op].call(c.Parts, req)
}
