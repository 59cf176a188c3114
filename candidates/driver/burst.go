package driver

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
	"testing/synctest"
	"time"
)

// stamps orders the calls of all bursts. Clock readings would not do: the virtual clock stands still during a burst.
var stamps atomic.Int64

func (c *crewed) burst(programs map[string][][]*string, seed int64) (any, *failure) {
	synctest.Wait()
	lanes := slices.Sorted(maps.Keys(programs))
	for _, lane := range lanes {
		if c.busy(lane) {
			return nil, senseless("lane " + lane + " still has a call under way")
		}
		for _, step := range programs[lane] {
			if _, bad := request(step); bad != nil {
				return nil, bad
			}
			if _, ok := c.ops[*step[0]]; !ok {
				return nil, unsupported(*step[0])
			}
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
			for _, step := range programs[lane] {
				req, _ := request(step)
				made := &call{Lane: lane, Op: req.Op}
				if c.ops[made.Op].takesItem {
					made.Item = req.Item
					if made.Item == nil && len(held) > 0 {
						made.Item = new(held[0])
					}
					if made.Item == nil {
						continue
					}
				}
				calls[i] = append(calls[i], made)
				perturb(dice) // before the stamp: a longer interval would excuse more
				made.Start = stamps.Add(1)
				req.Item = made.Item
				val, bad := c.call(req)
				end := stamps.Add(1)
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
	synctest.Wait()
	over.Store(true)
	all := slices.Concat(calls...)
	slices.SortFunc(all, func(a, b *call) int { return cmp.Compare(a.Start, b.Start) })
	return history{append([]*call{}, all...)}, nil // [], and not null, for an empty burst
}

// request is what a step of a program asks for: an op, perhaps an item, and with that perhaps a priority and a delay.
func request(step []*string) (Request, *failure) {
	otherwise := senseless("a step is an op, or an op and an item, or these, a priority and a delay")
	switch {
	case len(step) == 0 || len(step) > 4 || step[0] == nil:
		return Request{}, otherwise
	case len(step) == 1:
		return Request{Op: *step[0]}, nil
	case len(step) == 2:
		return Request{Op: *step[0], Item: step[1]}, nil
	case slices.Contains(step, nil):
		return Request{}, otherwise
	}
	priority, bad := strconv.Atoi(*step[2])
	ns, worse := strconv.ParseInt(*step[len(step)-1], 10, 64)
	if bad != nil || worse != nil || len(step) == 3 {
		return Request{}, otherwise
	}
	return Request{Op: *step[0], Item: step[1], Priority: priority, NS: time.Duration(ns)}, nil
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
