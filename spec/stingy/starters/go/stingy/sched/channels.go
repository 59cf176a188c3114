package sched

import (
	"reflect"
	"runtime"
)

func Recv[T any](at Place, ch <-chan T) T {
	v, _ := Recv2(at, ch)
	return v
}

func Recv2[T any](at Place, ch <-chan T) (v T, ok bool) {
	g := me(at)
	if g == nil {
		v, ok = <-ch
		return
	}
	one := RecvC(ch)
	g.park(at, nil)
	if g.meets([]Case{one}) < 0 {
		g.waits(at, one)
		select {
		case one.V, one.OK = <-ch:
		case <-g.end:
			runtime.Goexit()
		}
		g.comes(at, 0)
	}
	return one.V, one.OK
}

// Send is called with what is sent by what it answers, so that this takes the type of the channel.
func Send[T any](at Place, ch chan<- T) func(T) {
	return func(v T) { Select(at, false, SendC(ch)(v)) }
}

func Close[T any](at Place, ch chan<- T) {
	if g := me(at); g != nil {
		g.park(at, nil)
		g.closes(SendC(ch)(*new(T)))
	}
	close(ch)
}

// Case is one of a select.
type Case interface {
	channel() channel
	receives() bool
	try() bool
	real() reflect.SelectCase
	took(reflect.Value, bool)
	ended() bool // what was received was nothing, for the channel is closed
}

// Receiving is a case that receives; V and OK are what it has received.
type Receiving[T any] struct {
	ch <-chan T
	V  T
	OK bool
}

func RecvC[T any](ch <-chan T) *Receiving[T] { return &Receiving[T]{ch: ch} }

// channel is asked by others, too, to see who is in line. They read what the candidate's goroutine has written, which is no data race
// of the candidate: the methods of a generic type are compiled with the package that uses them, so the race detector would look on.
//
//go:norace
func (c *Receiving[T]) channel() channel { return seenAs(c.ch) }
func (c *Receiving[T]) receives() bool   { return true }
func (c *Receiving[T]) ended() bool      { return !c.OK }

func (c *Receiving[T]) try() bool {
	select {
	case c.V, c.OK = <-c.ch:
		return true
	default:
		return false
	}
}

func (c *Receiving[T]) real() reflect.SelectCase {
	return reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(c.ch)}
}

func (c *Receiving[T]) took(v reflect.Value, ok bool) {
	c.OK = ok
	reflect.ValueOf(&c.V).Elem().Set(v)
}

type sending[T any] struct {
	ch chan<- T
	v  T
}

func SendC[T any](ch chan<- T) func(T) Case { return func(v T) Case { return &sending[T]{ch, v} } }

//go:norace
func (c *sending[T]) channel() channel { return seenAs(c.ch) }
func (c *sending[T]) receives() bool   { return false }
func (c *sending[T]) ended() bool      { return false }

func (c *sending[T]) try() bool {
	select {
	case c.ch <- c.v:
		return true
	default:
		return false
	}
}

func (c *sending[T]) real() reflect.SelectCase {
	return reflect.SelectCase{Dir: reflect.SelectSend, Chan: reflect.ValueOf(c.ch), Send: reflect.ValueOf(&c.v).Elem()}
}

func (c *sending[T]) took(reflect.Value, bool) {}

// Select says which case was taken, -1 for the default. Where several are ready, the strategy chooses, not the runtime.
func Select(at Place, hasDefault bool, cases ...Case) int {
	g := me(at)
	if g != nil {
		g.park(at, nil)
		if g.ends {
			runtime.Goexit()
		}
		if n := g.meets(cases); n >= 0 || hasDefault {
			return n
		}
	}
	real := make([]reflect.SelectCase, len(cases), len(cases)+2)
	for i, c := range cases {
		real[i] = c.real()
	}
	switch {
	case g != nil:
		real = append(real, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(g.end)})
		g.waits(at, cases...)
	case hasDefault:
		real = append(real, reflect.SelectCase{Dir: reflect.SelectDefault})
	}
	chosen, v, ok := reflect.Select(real)
	if chosen == len(cases) {
		if g != nil {
			runtime.Goexit()
		}
		return -1
	}
	cases[chosen].took(v, ok)
	if g != nil {
		g.comes(at, chosen)
	}
	return chosen
}

// meets takes one of the cases that are ready, which the strategy chooses, and says which; -1 for none.
func (g *G) meets(cases []Case) int {
	ready := g.run.readyOf(cases)
	if !transparent { // which of them are ready is known only once one is taken
		ready = allOf(cases)
		if len(cases) > 1 {
			g.blurs()
		}
	}
	if len(ready) > 0 {
		for i, first := range rotated(ready, g.run.choose(g, len(ready))) {
			if g.takes(cases, first) {
				if i > 0 && transparent {
					g.blurs()
				}
				return first
			}
		}
	}
	for n := range cases {
		if g.takes(cases, n) { // with somebody who is not under control
			g.blurs()
			return n
		}
	}
	g.looks(cases, -1)
	return -1
}

func allOf(cases []Case) (all []int) {
	for n := range cases {
		all = append(all, n)
	}
	return all
}

func rotated(all []int, by int) []int { return append(all[by:len(all):len(all)], all[:by]...) }

// takes has this case taken, if it is ready.
func (g *G) takes(cases []Case, n int) bool {
	c := cases[n]
	crowded := !c.receives() && g.run.inLine(c.channel(), true) > 1
	if !c.receives() {
		g.reads(c.channel()) // which may be closed: then it panics
	}
	if !c.try() {
		return false
	}
	g.looks(cases, n)
	switch ch := c.channel(); {
	case c.ended():
		g.reads(ch)
	case c.receives():
		g.writes(ch)
		g.writes(ch.senders())
	default:
		g.writes(ch)
		g.writes(ch.receivers())
		if crowded {
			g.serves(ch.receivers())
		}
	}
	return true
}

// looks notes that these cases were looked at, but for the one that was taken.
func (g *G) looks(cases []Case, but int) {
	for n, c := range cases {
		ch := c.channel()
		if n == but || ch.address == nil {
			continue
		}
		g.reads(ch)
		switch {
		case ch.buffered: // whether somebody waits can be told from what is in it
		case c.receives():
			g.reads(ch.senders())
		default:
			g.writes(ch.receivers())
		}
	}
}

// waits stands in line for all of these, where the bubble sees it.
func (g *G) waits(at Place, cases ...Case) {
	for _, c := range cases {
		ch := c.channel()
		switch {
		case ch.address == nil:
		case c.receives():
			g.joins(ch.receivers())
		default:
			g.writes(ch.senders())
		}
	}
	g.line = cases
	g.blocks(at)
}

// comes is back from waiting, with this case.
func (g *G) comes(at Place, chosen int) {
	g.chosen = chosen
	g.pause(at)
}

func (g *G) closes(c Case) {
	ch := c.channel()
	g.writes(ch)
	g.writes(ch.receivers())
	g.writes(ch.senders())
}

// readyOf is which of these cases can be taken at once, with whoever is under control.
func (r *Run) readyOf(cases []Case) (ready []int) {
	for n, c := range cases {
		if ch := c.channel(); ch.ready(c.receives()) || r.inLine(ch, !c.receives()) > 0 {
			ready = append(ready, n)
		}
	}
	return ready
}

// inLine is how many wait to receive from a channel, or to send.
func (r *Run) inLine(ch channel, receives bool) (count int) {
	for _, g := range r.all() {
		if g.state != blocked || ch.address == nil {
			continue
		}
		for _, c := range g.line {
			if c.receives() == receives && c.channel().address == ch.address {
				count++
				break
			}
		}
	}
	return count
}
