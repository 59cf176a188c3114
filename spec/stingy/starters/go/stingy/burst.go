package driver

import (
	"cmp"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"stingy.invalid/driver/sched"
)

// stamps orders the calls of all bursts. Clock readings would not do: the virtual clock stands still during a burst.
var stamps atomic.Int64

// burst is programs that lanes run at once.
type burst struct {
	lanes    []string
	programs map[string][]Request
	patience time.Duration
	seed     int64
}

func (c *crewed) burst(req Request) (*burst, *failure) {
	b := &burst{slices.Sorted(maps.Keys(req.Programs)), map[string][]Request{}, req.NS, req.Seed}
	if bad := c.awaits(b); bad != nil {
		return nil, bad
	}
	for _, lane := range b.lanes {
		for _, step := range req.Programs[lane] {
			made, bad := c.step(step)
			if bad != nil {
				return nil, bad
			}
			b.programs[lane] = append(b.programs[lane], made)
		}
	}
	return b, nil
}

// awaits settles, and says which lane of the burst is busy then.
func (c *crewed) awaits(b *burst) *failure {
	c.settle()
	for _, lane := range b.lanes {
		if c.busy(lane) {
			return senseless("lane " + lane + " still has a call under way")
		}
	}
	return nil
}

// perturbed runs the programs with nobody in control.
func (c *crewed) perturbed(b *burst) []*call {
	var missing atomic.Int64 // lanes not yet at the start
	missing.Store(int64(len(b.lanes)))
	played := c.play(b, func(lane int) (begin, between func()) {
		dice := rand.New(rand.NewPCG(uint64(b.seed), uint64(lane)))
		return func() {
			// Spinning, because goroutines that are woken one by one have often finished one by one.
			for missing.Add(-1); missing.Load() > 0; {
				runtime.Gosched()
			}
		}, func() { perturb(dice) }
	})
	settled()
	time.Sleep(b.patience) // what is due in that time is part of it
	settled()
	for _, lane := range b.lanes {
		for c.busy(lane) && played.wakes(c.lanes[lane]) {
		}
	}
	settled()
	return played.told()
}

// controlled runs them in an order that is chosen.
func (c *crewed) controlled(b *burst, strategy sched.Strategy, how *schedule) history {
	played := c.play(b, func(int) (begin, between func()) { return func() {}, func() {} })
	told := &course{Choices: []choice{}}
	var turns []sched.Turn
	switch {
	case how.Footprints:
		turns, told.Footprints = c.run.Traced(strategy, b.patience)
	case how.Aloud:
		turns = c.run.Race(strategy, b.patience, stamps.Load)
		told.Trail = turns
	default:
		turns = c.run.Race(strategy, b.patience, nil)
	}
	for _, turn := range turns {
		told.Choices = append(told.Choices, choice{Who: turn.Who, Steps: turn.Steps})
	}
	told.Waiting = c.run.Waiting()
	return history{played.told(), told}
}

// played is what the lanes of a burst have called so far.
type played struct {
	over     atomic.Bool
	returned atomic.Int64 // when a call did last, in nanoseconds
	calls    [][]*call    // one slice a lane: a shared one would need a lock, which would order the calls
}

// wakes lets time pass for a call that sleeps, until its lane is over; false if none has returned for so long that none need.
func (p *played) wakes(over <-chan struct{}) bool {
	left := time.Until(time.Unix(0, p.returned.Load()).Add(sched.Asleep))
	select {
	case <-over:
	case <-time.After(left):
	}
	return left > 0
}

// told is the history, oldest call first; what comes after is no part of it.
func (p *played) told() []*call {
	p.over.Store(true)
	all := slices.Concat(p.calls...)
	slices.SortFunc(all, func(a, b *call) int { return cmp.Compare(a.Start, b.Start) })
	return append([]*call{}, all...) // [], and not null, for an empty burst
}

// play starts the lanes, each of which begins, and does something between its calls, in a way of its own.
func (c *crewed) play(b *burst, ways func(lane int) (begin, between func())) *played {
	p := &played{calls: make([][]*call, len(b.lanes))}
	p.returned.Store(time.Now().UnixNano())
	for i, lane := range b.lanes {
		begin, between := ways(i)
		c.inLane(lane, func() {
			begin()
			var held []string
			for n, req := range b.programs[lane] {
				made := &call{Lane: lane, Op: req.Op, Item: req.Item}
				if takesItem(made.Op) {
					if made.Item == nil && len(held) > 0 {
						made.Item = new(held[0])
					}
					if made.Item == nil {
						continue
					}
					req.Item = made.Item
				}
				if n > 0 {
					sched.Point(beforeCall(req.Op))
				}
				p.calls[i] = append(p.calls[i], made)
				between() // before the stamp: a longer interval would excuse more
				sched.Begins()
				made.Start = stamp()
				val, bad := c.call(req)
				end := stamp()
				sched.Ends()
				unseen(func() { p.returned.Store(time.Now().UnixNano()) })
				if p.over.Load() {
					return // released after the report; whatever it did now, no history would tell
				}
				made.Val, made.Error, made.End = val, bad, &end
				if got, ok := val.(handout); ok {
					item, shutdown := got.delivered()
					if shutdown {
						return // the worker goes home
					}
					held = append(held, *item)
				}
				if made.Op == "done" {
					if at := slices.Index(held, *made.Item); at >= 0 {
						held = slices.Delete(held, at, at+1)
					}
				}
			}
		})
	}
	return p
}

// beforeCall is where a lane stands before it calls the candidate.
func beforeCall(op string) sched.Place {
	return sched.Between + sched.Between + "call" + sched.Between + op
}

// step is the call that a step of a program asks for: an op alone, with an item, or with an object of further keys.
func (c *crewed) step(written []json.RawMessage) (req Request, bad *failure) {
	if len(written) < 1 || len(written) > 2 || json.Unmarshal(written[0], &req.Op) != nil {
		return req, senseless("a step is an op, or an op and what it goes with")
	}
	if _, ok := c.ops[req.Op]; !ok {
		return req, unsupported(req.Op)
	}
	if len(written) == 1 {
		return req, nil
	}
	goesWith := any(&req.Item)
	if written[1][0] == '{' {
		req.line, goesWith = written[1], &req
	}
	if err := json.Unmarshal(written[1], goesWith); err != nil {
		return req, senseless(err.Error())
	}
	return req, nil
}

// stamp draws the next one.
func stamp() (drawn int64) {
	unseen(func() { drawn = stamps.Add(1) })
	return drawn
}

// perturb moves the lanes against each other. Left alone, short calls rarely meet.
func perturb(dice *rand.Rand) {
	switch dice.IntN(4) {
	case 0:
		runtime.Gosched()
	case 1:
		for range dice.IntN(500) {
		}
	}
}
