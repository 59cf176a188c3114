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
	g.park(at, nil)
	g.writes(ch)
	select {
	case v, ok = <-ch:
		return
	default:
	}
	g.blocks(at)
	select {
	case v, ok = <-ch:
	case <-g.end:
		runtime.Goexit()
	}
	g.pause(at)
	return
}

// Send is called with what is sent by what it answers, so that this takes the type of the channel.
func Send[T any](at Place, ch chan<- T) func(T) {
	return func(v T) { Select(at, false, SendC(ch)(v)) }
}

func Close[T any](at Place, ch chan<- T) {
	Before(at, ch)
	close(ch)
}

// Case is one of a select.
type Case interface {
	channel() any
	try() bool
	real() reflect.SelectCase
	took(reflect.Value, bool)
}

// Receiving is a case that receives; V and OK are what it has received.
type Receiving[T any] struct {
	ch <-chan T
	V  T
	OK bool
}

func RecvC[T any](ch <-chan T) *Receiving[T] { return &Receiving[T]{ch: ch} }

func (c *Receiving[T]) channel() any { return c.ch }

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

func (c *sending[T]) channel() any { return c.ch }

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
	g, first := me(at), 0
	if g != nil {
		g.park(at, nil)
		if first = g.run.choose(g, len(cases)); g.ends {
			runtime.Goexit()
		}
		for _, c := range cases {
			g.writes(c.channel())
		}
		if len(cases) > 1 {
			g.blurs() // another one may be looked at first
		}
	}
	for i := range cases {
		if n := (first + i) % len(cases); cases[n].try() {
			return n
		}
	}
	if hasDefault {
		return -1
	}
	real := make([]reflect.SelectCase, len(cases), len(cases)+1)
	for i, c := range cases {
		real[i] = c.real()
	}
	if g != nil {
		real = append(real, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(g.end)})
		g.blocks(at)
	}
	chosen, v, ok := reflect.Select(real)
	if chosen == len(cases) {
		runtime.Goexit()
	}
	cases[chosen].took(v, ok)
	if g != nil {
		g.pause(at)
	}
	return chosen
}
