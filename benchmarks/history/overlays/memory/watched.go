package clientgo

import (
	"runtime"
	"slices"
	"sync"
	"weak"

	"k8s.io/client-go/util/workqueue"
	"stingy.invalid/driver"
)

// The driver for newer releases tells what a queue keeps, and so can one for these, whose items are of any type.
func init() {
	plain := clientGo.Impls["work_queue"]
	clientGo.Ops = clientGo.Ops.With(driver.Ops{
		"kept": driver.On(func(q *watched, _ driver.Request) any { return q.kept() }),
	})
	clientGo.Impls["work_queue"] = func(options driver.Options) driver.Candidate {
		if !options.Watched {
			return plain(options)
		}
		made := &watched{Interface: workqueue.New(), known: map[string]weak.Pointer[token]{}, held: map[string]*token{}}
		return driver.Candidate{Parts: []any{made}, End: made.ShutDown}
	}
}

// token is an item that can be seen to be gone. There is one of a name at a time, for equal tokens would be two items.
type token struct{ name string }

// watched is a work queue of tokens, which nobody else keeps but who works on them.
type watched struct {
	workqueue.Interface

	mu    sync.Mutex
	known map[string]weak.Pointer[token]
	held  map[string]*token
}

func (q *watched) Add(item string) { q.Interface.Add(q.token(item)) }

func (q *watched) Get() (string, bool) {
	got, shutdown := q.Interface.Get()
	item, ok := got.(*token)
	if !ok { // there is none beside a shutdown
		return "", shutdown
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.held[item.name] = item
	return item.name, shutdown
}

func (q *watched) Done(item string) {
	held := q.token(item)
	q.mu.Lock()
	delete(q.held, item)
	q.mu.Unlock()
	q.Interface.Done(held)
}

func (q *watched) token(name string) *token {
	q.mu.Lock()
	defer q.mu.Unlock()
	if known := q.known[name].Value(); known != nil {
		return known
	}
	made := &token{name}
	q.known[name] = weak.Make(made)
	return made
}

func (q *watched) kept() any {
	runtime.GC()
	q.mu.Lock()
	defer q.mu.Unlock()
	kept := []string{}
	for name, item := range q.known {
		if _, held := q.held[name]; item.Value() != nil && !held {
			kept = append(kept, name)
		}
	}
	slices.Sort(kept)
	return kept
}
