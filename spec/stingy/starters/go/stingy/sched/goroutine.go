package sched

import (
	"fmt"
	"runtime"
	"sync"
)

type state int

const (
	born      state = iota // it is to begin when somebody calls it
	runs                   // or is blocked where nobody sees it, in code that is not rewritten
	parked                 // before an operation, or after one that it had to wait in
	blocked                // in an operation on the real thing
	elsewhere              // blocked in code that is not rewritten, or at its end there
	over
)

// G is one goroutine under control.
type G struct {
	run    *Run
	Name   string
	lane   bool // the driver's, and not the candidate's own
	id     uintptr
	state  state
	at     Place
	after  bool // that operation
	want   want // what it has to wait for before it can go on; nil for nothing
	cond   *sync.Cond
	line   []Case // that it waits for, or has come back from
	chosen int    // which of them it came back with
	ticket int    // in the order of which signals come
	turned int    // the step at which it went on last
	holds  []hold
	does   []*sync.Once
	ends   bool          // it is to exit at its next operation
	wake   chan struct{} // for it alone
	end    chan struct{} // closed when it ends, for when it is really blocked
}

// want is what has to come before a goroutine can go on.
type want interface {
	granted(g *G) bool
	thing() any // that is waited for
}

type hold struct {
	lock lock
	at   Place
}

var current *Run // changes only while nobody runs

// me is the goroutine that asks; nil where nothing is under control. One that code which is not rewritten has started is
// taken under control at its first operation.
func me(at Place) *G {
	run := current
	if run == nil {
		return nil
	}
	id := identity()
	if run.running != nil && run.running.id == id {
		return run.running
	}
	if id == run.controller {
		return nil
	}
	if g := run.known(id); g != nil {
		return g
	}
	g := run.born(spot(at).In)
	g.is(id)
	g.state = runs
	run.running.blurs()
	return g
}

// is says which goroutine it is; 0 for none any more.
func (g *G) is(id uintptr) {
	defer g.run.alone()()
	g.id = id
}

// begin runs what the goroutine is for, once it is its turn.
func (g *G) begin(at Place, what func()) {
	if g.ends {
		return
	}
	g.is(identity())
	defer func() {
		if p := recover(); p != nil && !g.ends {
			g.run.Trouble = &Trouble{"panic", fmt.Sprintf("%s panics: %v", g.Name, p)}
		}
		g.is(0)
		g.run.leaves()
		g.state = over
	}()
	g.park(at, nil)
	what()
}

// park waits until it is this goroutine's turn.
func (g *G) park(at Place, wanted want) {
	if g.ends {
		if wanted != nil {
			runtime.Goexit()
		}
		return // what is deferred is done in peace
	}
	g.at, g.after, g.want, g.state = at, g.after && wanted == nil, wanted, parked
	g.run.leaves()
	hide()
	select {
	case g.run.poke <- struct{}{}:
	default:
	}
	<-g.wake
	show()
	g.after, g.want, g.state = false, nil, runs
	if g.ends {
		runtime.Goexit()
	}
}

// pause parks after an operation.
func (g *G) pause(at Place) {
	g.after = true
	g.park(at, nil)
}

// spot is where it stands.
func (g *G) spot() Spot {
	s := spot(g.at)
	s.After = g.after
	return s
}

// blocks says that what comes now may wait, where the bubble sees it.
func (g *G) blocks(at Place) {
	if g.ends {
		runtime.Goexit()
	}
	g.run.leaves()
	g.at, g.want, g.state = at, nil, blocked
}

func (g *G) ready() bool {
	return g.state == parked && g.cond == nil && (g.want == nil || g.want.granted(g))
}
