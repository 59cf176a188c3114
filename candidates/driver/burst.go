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
)

// stamps orders the calls of all bursts. Clock readings would not do: the virtual clock stands still during a burst.
var stamps atomic.Int64

func (c *crewed) burst(written map[string][][]json.RawMessage, seed int64, patience time.Duration) (any, *failure) {
	settled()
	lanes := slices.Sorted(maps.Keys(written))
	programs := map[string][]Request{}
	for _, lane := range lanes {
		if c.busy(lane) {
			return nil, senseless("lane " + lane + " still has a call under way")
		}
		for _, step := range written[lane] {
			req, bad := c.step(step)
			if bad != nil {
				return nil, bad
			}
			programs[lane] = append(programs[lane], req)
		}
	}

	var missing atomic.Int64 // lanes not yet at the start
	var over atomic.Bool
	missing.Store(int64(len(lanes)))
	calls := make([][]*call, len(lanes)) // one slice a lane: a shared one would need a lock, which would order the calls
	for i, lane := range lanes {
		c.inLane(lane, func() {
			dice := rand.New(rand.NewPCG(uint64(seed), uint64(i)))
			// Spinning, because goroutines that are woken one by one have often finished one by one.
			for missing.Add(-1); missing.Load() > 0; {
				runtime.Gosched()
			}
			var held []string
			for _, req := range programs[lane] {
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
				calls[i] = append(calls[i], made)
				perturb(dice) // before the stamp: a longer interval would excuse more
				made.Start = stamp()
				val, bad := c.call(req)
				end := stamp()
				if over.Load() {
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
	settled()
	time.Sleep(patience) // what is due in that time is part of it
	settled()
	over.Store(true)
	all := slices.Concat(calls...)
	slices.SortFunc(all, func(a, b *call) int { return cmp.Compare(a.Start, b.Start) })
	return history{append([]*call{}, all...)}, nil // [], and not null, for an empty burst
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
