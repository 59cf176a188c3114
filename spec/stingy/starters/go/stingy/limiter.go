package driver

import (
	"sync"
	"time"

	"stingy.invalid/driver/sched"
)

// Script is how a scripted rate limiter answers: the first failure of an item waits for the first of the delays, and so
// on; all that come after the last wait for the last. Without delays, nothing waits. One that is not to count says that no
// item has ever failed, as a token bucket does.
type Script struct {
	Delays []time.Duration `json:"delays"`
	Counts *bool           `json:"counts"`
}

// Scripted is a rate limiter that says what it has been told to say.
type Scripted[T comparable] struct {
	script   Script
	lock     sync.Mutex
	failures map[T]int
}

func NewScripted[T comparable](script Script) *Scripted[T] {
	return &Scripted[T]{script: script, failures: map[T]int{}}
}

func (l *Scripted[T]) When(item T) time.Duration {
	sched.Writes(l)
	l.lock.Lock()
	defer l.lock.Unlock()
	failures := l.failures[item]
	l.failures[item]++
	if len(l.script.Delays) == 0 {
		return 0
	}
	return l.script.Delays[min(failures, len(l.script.Delays)-1)]
}

func (l *Scripted[T]) Forget(item T) {
	sched.Writes(l)
	l.lock.Lock()
	defer l.lock.Unlock()
	delete(l.failures, item)
}

func (l *Scripted[T]) NumRequeues(item T) int {
	sched.Reads(l)
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.script.Counts != nil && !*l.script.Counts {
		return 0
	}
	return l.failures[item]
}
