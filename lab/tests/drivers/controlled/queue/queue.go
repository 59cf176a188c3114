// Package queue has a small queue that is right, but for a fault if it is told to have one, or in a way of its own.
package queue

import (
	"sync"
	"time"
)

type Queue struct {
	fault             string
	changed           sync.Cond
	counting          sync.Mutex
	queue             []string
	dirty, processing map[string]bool
	shuttingDown      bool
	dropped           chan struct{}
}

func New(fault string) *Queue {
	q := &Queue{
		fault: fault, changed: sync.Cond{L: &sync.Mutex{}}, dirty: map[string]bool{}, processing: map[string]bool{},
		dropped: make(chan struct{}),
	}
	if fault == "its own goroutine panics" {
		go q.watch()
	}
	return q
}

func (q *Queue) watch() {
	<-q.dropped
	panic("an item was added while it was processed")
}

func (q *Queue) Add(item string) {
	if q.fault == "sleeps in Add" {
		time.Sleep(3 * time.Millisecond)
	}
	q.changed.L.Lock()
	defer q.changed.L.Unlock()
	if q.shuttingDown || q.dirty[item] {
		return
	}
	q.dirty[item] = true
	if q.processing[item] {
		if q.fault == "its own goroutine panics" {
			close(q.dropped)
		}
		return
	}
	q.queue = append(q.queue, item)
	q.changed.Signal()
}

func (q *Queue) Get() (item string, shutdown bool) {
	q.changed.L.Lock()
	defer q.changed.L.Unlock()
	for len(q.queue) == 0 && !q.shuttingDown {
		if q.fault == "polls" {
			q.changed.L.Unlock()
			time.Sleep(2 * time.Millisecond)
			q.changed.L.Lock()
		} else {
			q.changed.Wait()
		}
	}
	if len(q.queue) == 0 {
		return "", true
	}
	item, q.queue = q.queue[0], q.queue[1:]
	delete(q.dirty, item)
	q.processing[item] = true
	return item, false
}

func (q *Queue) Done(item string) {
	q.changed.L.Lock()
	defer q.changed.L.Unlock()
	if !q.processing[item] {
		return
	}
	again := q.dirty[item]
	if q.fault == "lets go of its lock" {
		q.changed.L.Unlock()
		q.changed.L.Lock()
	}
	delete(q.processing, item)
	if again {
		q.queue = append(q.queue, item)
		q.changed.Signal()
	}
}

func (q *Queue) Len() int {
	if q.fault == "counts without its lock" {
		return len(q.queue)
	}
	if q.fault == "takes two locks in either order" {
		q.counting.Lock()
		defer q.counting.Unlock()
	}
	q.changed.L.Lock()
	defer q.changed.L.Unlock()
	return len(q.queue)
}

func (q *Queue) ShutDown() {
	q.changed.L.Lock()
	defer q.changed.L.Unlock()
	if q.fault == "takes two locks in either order" {
		q.counting.Lock()
		defer q.counting.Unlock()
	}
	q.shuttingDown = true
	q.changed.Broadcast()
}

func (q *Queue) ShuttingDown() bool {
	q.changed.L.Lock()
	defer q.changed.L.Unlock()
	q.ponders()
	return q.shuttingDown
}
