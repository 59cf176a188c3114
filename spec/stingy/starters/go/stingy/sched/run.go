// Package sched runs the goroutines of a candidate one at a time, in an order that a strategy chooses, inside a bubble of
// testing/synctest. What a candidate does stays real: before each operation, and after one that it had to wait in, a
// goroutine parks, and goes on when it is its turn. The code that calls it is made by the command control.
package sched

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing/synctest"
	"time"
)

// Run is one candidate under control, from its making to its end. All of its methods are for the goroutine that began it.
type Run struct {
	gs         []*G
	able       []*G       // who could go on when that was asked last
	left       int        // how many of them there were when those at their end were left out
	names      []string   // of those that were not named by the driver
	bearing    sync.Mutex // for goroutines that come from outside, which may be several at once
	seen       byte       // what goroutines have done, as far as whoever runs the race has seen it
	running    *G
	controller uintptr
	poke       chan struct{}
	late       *time.Timer // until when time may pass
	steps      int
	tickets    int
	returned   int64   // when a call of a lane did last, in a race; a time.Time would be copied under the eyes of the race detector
	things     numbers // of those that goroutines have met in

	// Trouble is why it cannot go on.
	Trouble *Trouble

	strategy Strategy
	trail    *trail
}

// Trouble is what ends a run before its time.
type Trouble struct {
	Kind string `json:"kind"` // "panic", or "spins", which may be a way to wait for time to pass
	Text string `json:"text"`
}

// processors are as many as there are for goroutines that are not under control.
var processors = runtime.GOMAXPROCS(0)

// GOMAXPROCS is runtime.GOMAXPROCS for a candidate, which need not know that there is one processor while it is under control.
func GOMAXPROCS(n int) int {
	before := processors
	if n > 0 {
		processors = n
	}
	return before
}

// Free leaves all goroutines that come from now on to the runtime, and to all processors.
func Free() { runtime.GOMAXPROCS(processors) }

// Begin takes control of all goroutines that come from now on. One processor is enough for them: one of them runs at a time, and to
// wake a second processor for the next one costs more than its step.
func Begin() *Run {
	runtime.GOMAXPROCS(1)
	current = &Run{controller: identity(), poke: make(chan struct{}, 1)}
	return current
}

// Current is the run under way; nil if there is none.
func Current() *Run { return current }

func (r *Run) born(name string) *G {
	defer r.alone()()
	r.names = append(r.names, name)
	alike := slices.DeleteFunc(slices.Clone(r.names), func(other string) bool { return other != name })
	if len(alike) > 1 {
		name = fmt.Sprint(name, " ", len(alike))
	}
	return r.added(name)
}

// known is the goroutine with this identity, nil if it has none yet.
func (r *Run) known(id uintptr) *G {
	defer r.alone()()
	if at := slices.IndexFunc(r.gs, func(g *G) bool { return g.id == id }); at >= 0 {
		return r.gs[at]
	}
	return nil
}

func (r *Run) added(name string) *G {
	g := &G{run: r, Name: name, wake: make(chan struct{}, 1), end: make(chan struct{})}
	if len(r.gs) >= 2*r.left { // a new slice, for somebody may be looking through the old one
		r.gs = slices.Collect(func(yield func(*G) bool) {
			for _, each := range r.gs {
				if each.state != over && !yield(each) {
					return
				}
			}
		})
		r.left = max(len(r.gs), 32)
	}
	r.gs = append(r.gs, g)
	return g
}

// Go starts a lane, which begins when it is its turn.
func (r *Run) Go(lane string, what func()) {
	over := r.alone()
	g := r.added(lane)
	g.lane = true
	over()
	go g.begin(lane, what)
}

// all of them that there are now.
func (r *Run) all() []*G {
	hide()
	r.bearing.Lock()
	all := r.gs
	r.bearing.Unlock()
	show()
	return all
}

// alone keeps others from the goroutines that there are until it is over.
func (r *Run) alone() (over func()) {
	hide()
	r.bearing.Lock()
	return func() {
		r.bearing.Unlock()
		show()
	}
}

// Settle lets everybody go on, the plainest way, until nobody can.
func (r *Run) Settle() { r.play(Fair{}, time.Now()) }

// Advance lets time pass, and everybody go on as it does.
func (r *Run) Advance(span time.Duration) { r.play(Fair{}, time.Now().Add(span)) }

// Race lets everybody go on as the strategy has it, until nobody can and so much time has passed. It tells the turns that
// were taken; with a stamp, which says what was drawn last, also where everybody stood then.
func (r *Run) Race(strategy Strategy, patience time.Duration, stamp func() int64) []Turn {
	return r.race(strategy, patience, &trail{stamp: stamp})
}

// Traced is a race of which the footprints are told, too.
func (r *Run) Traced(strategy Strategy, patience time.Duration) ([]Turn, *Footprints) {
	footprints := newFootprints(r)
	return r.race(strategy, patience, &trail{footprints: footprints}), footprints
}

func (r *Run) race(strategy Strategy, patience time.Duration, trail *trail) []Turn {
	r.trail, r.returned = trail, time.Now().UnixNano()
	r.play(strategy, time.Now().Add(patience))
	r.trail = nil
	return trail.told()
}

// Asleep is for how long no call need return, where a lane waits for something of its own: for time to pass, perhaps.
const Asleep = time.Second

// lasts is until when time may pass: in a race it is not over while a call sleeps that is to return.
func (r *Run) lasts(until time.Time) time.Time {
	sleeps := func(g *G) bool { return g.lane && (g.state == blocked || g.state == elsewhere) }
	if late := time.Unix(0, r.returned).Add(Asleep); r.trail != nil && late.After(until) && slices.ContainsFunc(r.all(), sleeps) {
		return late
	}
	return until
}

// most is how many steps may be taken while no time passes: after so many everybody has a turn, one after the other, and
// after many more it is taken for a loop that nothing ends: thousands of items may be added, or due, at once.
const most, endless = 30_000, 300_000

func (r *Run) play(strategy Strategy, until time.Time) {
	hide()
	defer r.gathers()
	defer show()
	r.strategy = strategy
	began, rotates := r.steps, false
	for {
		synctest.Wait()
		r.looks()
		turning.Store(nil)
		for _, g := range r.all() {
			if g.state == runs {
				g.state = elsewhere
			}
			if g.state != blocked && g.line != nil {
				r.footprints().comes(g)
				g.line = nil
			}
		}
		before := r.running
		r.footprints().over(r)
		r.running = nil
		if r.Trouble != nil {
			return
		}
		ready := r.ready()
		if len(ready) == 0 {
			if !r.passTime(r.lasts(until)) {
				r.rest(before)
				r.footprints().ends(r)
				return
			}
			r.footprints().later()
			began = r.steps
			r.running = before
			continue
		}
		switch taken := r.steps - began; {
		case taken > endless:
			r.Trouble = &Trouble{"spins", ready[0].Name + " goes round and round at " + spot(ready[0].at).At}
			return
		case taken > most && !rotates:
			r.strategy, rotates = &Rotating{}, true
		}
		r.turn(r.strategy.Next(ready, before), before, ready)
	}
}

// turn lets one goroutine take a step.
func (r *Run) turn(g, before *G, ready []*G) {
	if g != before {
		r.rest(before)
	}
	if r.trail != nil {
		r.trail.step(g, before, ready)
	}
	r.footprints().step(g, ready)
	r.steps++
	g.turned = r.steps
	r.running = g
	signs.Add(1)
	turning.Store(g)
	g.wake <- struct{}{}
}

// footprints of the race under way; nil where nobody asks for them, which leaves none.
func (r *Run) footprints() *Footprints {
	if r.trail == nil {
		return nil
	}
	return r.trail.footprints
}

// rest is told of who does not go on.
func (r *Run) rest(g *G) {
	if g != nil && r.trail != nil {
		r.trail.rest(g)
	}
}

// ready are those that can go on, until it is asked again.
func (r *Run) ready() []*G {
	r.able = r.able[:0]
	for _, g := range r.all() {
		if g.ready() {
			r.able = append(r.able, g)
		}
	}
	return r.able
}

// choose is which of the n ready cases of a select is taken: so many are passed over.
func (r *Run) choose(g *G, n int) int {
	if n < 2 || r.running != g || g.ends || r.strategy == nil {
		return 0
	}
	way := r.strategy.Way(n)
	if r.trail != nil {
		r.trail.way(way)
	}
	r.footprints().chooses(way, n)
	return way
}

// passTime lets time pass until somebody wakes, who is heard before any more of it passes.
func (r *Run) passTime(until time.Time) bool {
	select {
	case <-r.poke:
	default:
	}
	left := time.Until(until)
	if left <= 0 {
		return false
	}
	if r.late == nil {
		r.late = time.NewTimer(left)
	} else {
		r.late.Reset(left)
	}
	defer r.late.Stop()
	select {
	case <-r.poke:
	case <-r.late.C:
	}
	return true
}

// End has all goroutines exit, one after the other. What they defer is done.
func (r *Run) End() {
	hide()
	defer r.gathers()
	defer show()
	for i := 0; i < len(r.gs); i++ { // there may be more, from what is deferred
		g := r.gs[i]
		g.ends = true
		r.running = g
		close(g.end)
		if g.state == parked {
			g.wake <- struct{}{}
		}
		synctest.Wait()
	}
	current = nil
}

// Waiting tells of everybody who has not come to an end: lanes, and those of the candidate's own who wait for a lock or
// hold one.
func (r *Run) Waiting() (waiting []Waits) {
	for _, g := range r.gs {
		if g.state == born || g.state == over || !g.lane && len(g.holds) == 0 && g.wanted() == nil {
			continue
		}
		told := Waits{Who: g.Name, Spot: g.spot(), For: g.waitsFor(), Holds: []Spot{}}
		for _, held := range g.holds {
			told.Holds = append(told.Holds, spot(held.at))
		}
		waiting = append(waiting, told)
	}
	return waiting
}

// Waits is where somebody stands, what for, and which locks are held, by where they were taken.
type Waits struct {
	Who string `json:"who"`
	Spot
	For   string `json:"for"`
	Holds []Spot `json:"holds"`
}

func (g *G) wanted() lock {
	l, _ := g.want.(lock)
	return l
}

// waitsFor says what keeps it from going on.
func (g *G) waitsFor() string {
	switch {
	case g.state != parked:
		return ""
	case g.cond != nil:
		return "a signal"
	case g.wanted() != nil:
		if holder := g.run.holder(g.wanted()); holder != nil {
			return "a lock that " + holder.Name + " holds"
		}
		return "a lock"
	case g.want != nil:
		return "another one to be done"
	}
	return ""
}

// holder is who has this lock, or keeps it from being had.
func (r *Run) holder(wanted lock) *G {
	for _, g := range r.all() {
		if slices.ContainsFunc(g.holds, func(h hold) bool { return h.lock.thing() == wanted.thing() }) {
			return g
		}
	}
	return nil
}

// Steps is how many have been taken so far.
func (r *Run) Steps() int { return r.steps }
