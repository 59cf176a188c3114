package sched

import (
	"context"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"time"
)

// Point is where another goroutine may go on.
func Point(at Place) {
	if g := me(at); g != nil {
		g.park(at, nil)
	}
}

// Field is a point before a statement that touches some field.
func Field(at Place) { Before(at, any(nil)) }

// Before is a point before an operation on what it hands through, as an atomic one.
func Before[T any](at Place, what T) T {
	if g := me(at); g != nil {
		g.park(at, nil)
		if looks[spot(at).Op] {
			g.reads(what)
		} else {
			g.writes(what)
		}
	}
	return what
}

// looks are the operations that change nothing.
var looks = map[string]bool{
	"Load": true, "LoadInt32": true, "LoadInt64": true, "LoadUint32": true, "LoadUint64": true, "LoadUintptr": true, "LoadPointer": true,
}

// Cancel is a point before a context is cancelled.
func Cancel(at Place, cancel context.CancelFunc) context.CancelFunc { return Before(at, cancel) }

func Gosched(at Place) {
	if g := me(at); g != nil {
		g.park(at, nil)
	} else {
		runtime.Gosched()
	}
}

func Sleep(at Place, span time.Duration) {
	if me(at) == nil {
		time.Sleep(span)
		return
	}
	Recv(at, time.After(span))
}

// Wrap is for the function of a go statement: its goroutine has its place from now on, and begins when it is its turn.
func Wrap[F any](at Place, what F) F {
	if me(at) == nil {
		return what
	}
	g := current.born(spot(at).In)
	if plain, ok := any(what).(func()); ok {
		return any(func() { g.begin(at, plain) }).(F)
	}
	v := reflect.ValueOf(what)
	return reflect.MakeFunc(v.Type(), func(in []reflect.Value) (out []reflect.Value) {
		for i := range v.Type().NumOut() {
			out = append(out, reflect.Zero(v.Type().Out(i))) // which nobody hears of
		}
		g.begin(at, func() {
			if v.Type().IsVariadic() {
				v.CallSlice(in)
			} else {
				v.Call(in)
			}
		})
		return out
	}).Interface().(F)
}

// once is had while somebody does what is to be done once. The real one would have the others wait for a mutex.
type once struct{ *sync.Once }

func (o once) granted(g *G) bool {
	return !slices.ContainsFunc(g.run.all(), func(other *G) bool { return slices.Contains(other.does, o.Once) })
}
func (o once) thing() any { return o.Once }

func OnceDo(at Place, o *sync.Once, what func()) {
	g := me(at)
	if g == nil {
		o.Do(what)
		return
	}
	g.park(at, once{o})
	g.writes(o)
	g.does = append(g.does, o)
	defer func() {
		g.releases(o)
		g.does = g.does[:len(g.does)-1]
	}()
	o.Do(what)
}

func WaitGroupAdd(at Place, w *sync.WaitGroup, n int) {
	Before(at, w)
	w.Add(n)
}

func WaitGroupDone(at Place, w *sync.WaitGroup) { WaitGroupAdd(at, w, -1) }

// WaitGroupWait waits on the real thing, which the bubble sees.
func WaitGroupWait(at Place, w *sync.WaitGroup) {
	g := me(at)
	if g == nil {
		w.Wait()
		return
	}
	g.park(at, nil)
	g.writes(w)
	done := make(chan struct{})
	go func() {
		w.Wait()
		close(done)
	}()
	g.blocks(at)
	select {
	case <-done:
	case <-g.end:
		runtime.Goexit()
	}
	g.pause(at)
}

func WaitGroupGo(at Place, w *sync.WaitGroup, what func()) {
	WaitGroupAdd(at, w, 1)
	go Wrap(at, func() {
		defer WaitGroupDone(at, w)
		what()
	})()
}
