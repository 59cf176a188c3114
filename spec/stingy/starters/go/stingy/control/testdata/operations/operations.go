// Package operations makes each operation that goroutines meet in, in each way that it can be written.
package operations

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

type embedding struct{ sync.Mutex }

type promoted struct {
	*embedding
	sync.RWMutex
}

type generic[T any] struct {
	mu    sync.Mutex
	items []T
	ready chan T
}

func (g *generic[T]) put(item T) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.items = append(g.items, item)
	select {
	case g.ready <- item:
	default:
	}
}

func Locks() (n int) {
	p := promoted{embedding: &embedding{}}
	func() { p.embedding.Lock(); n++; p.embedding.Unlock() }() // on one line, which stays one
	p.RWMutex.Lock()
	p.RWMutex.Unlock()
	p.RLock()
	p.RUnlock()
	if p.TryRLock() {
		p.RUnlock()
	}
	if p.embedding.TryLock() {
		p.embedding.Unlock()
	}
	func(l sync.Locker) {
		l.Lock()
		defer l.Unlock()
		n++
	}(p.RLocker())
	func(l interface {
		Lock()
		Unlock()
	}) {
		l.Lock()
		defer l.Unlock()
		n++
	}(p.embedding)
	cond := sync.NewCond(p.embedding)
	var group sync.WaitGroup
	group.Go(func() {
		cond.L.Lock()
		for n < 4 {
			cond.Wait()
		}
		cond.L.Unlock()
	})
	group.Add(1)
	go func() {
		defer group.Done()
		cond.L.Lock()
		defer cond.L.Unlock()
		n++
		cond.Signal()
		cond.Broadcast()
	}()
	group.Wait()
	return n
}

func Channels() (n int) {
	g := generic[int]{ready: make(chan int, 1)}
	g.put(1)
	n += <-g.ready
	ints, stop := make(chan int), make(chan struct{})
	go send(ints, 1, 2, 3)
	for i := range ints {
		n += i
	}
	var i int
	again := make(chan int)
	go send(again, 4)
	for i = range again {
		n += i
	}
	if _, ok := <-again; !ok {
		n++
	}
	var v any
	var ok bool
	anything := make(chan any, 1)
	anything <- 5
loop:
	for {
		select {
		case v, ok = <-anything:
			if ok {
				n += v.(int)
			}
			close(stop)
		case <-stop:
			break loop
		}
	}
	select {
	default:
		n++
	}
	return n + waits(anything)
}

func waits(anything chan<- any) int {
	select {
	case anything <- "it has no type of its own":
		return 1
	}
}

func send(to chan<- int, all ...int) {
	for _, each := range all {
		to <- each
	}
	close(to)
}

func Others() (n int) {
	var once sync.Once
	once.Do(func() { n++ })
	var kept sync.Map
	kept.Store("a", 1)
	if had, ok := kept.Load("a"); ok {
		n += had.(int)
	}
	var plain int64
	var typed atomic.Int64
	atomic.AddInt64(&plain, 1)
	typed.Add(atomic.LoadInt64(&plain))
	n += int(typed.Load())
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	time.AfterFunc(time.Millisecond, cancel)
	<-ctx.Done()
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	<-ticker.C
	time.Sleep(time.Millisecond)
	runtime.Gosched()
	return n
}

// NotControlled has a function as a value, which is named when the driver is built.
func NotControlled() func() {
	var mu sync.Mutex
	mu.Lock()
	unlock := mu.Unlock
	ready := sync.OnceFunc(func() {})
	ready()
	return unlock
}

func Times() int {
	now := time.Now // handed on
	before := now()
	time.Sleep(3)
	return int(time.Since(before)) - int(time.Until(before)) + int(now().Sub(time.Now()))
}
