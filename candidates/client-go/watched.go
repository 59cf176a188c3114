package clientgo

import (
	"runtime"
	"slices"
	"sync"
	"weak"

	"k8s.io/client-go/util/workqueue"
)

// token is an item that can be seen to be gone. There is one of a name at a time, for equal tokens would be two items.
type token struct{ name string }

// watched is a work queue of tokens, which nobody else keeps but who works on them.
type watched struct {
	workqueue.TypedInterface[*token]

	mu    sync.Mutex
	known map[string]weak.Pointer[token]
	held  map[string]*token
}

func newWatched() *watched {
	return &watched{
		TypedInterface: workqueue.NewTyped[*token](),
		known:          map[string]weak.Pointer[token]{},
		held:           map[string]*token{},
	}
}

func (q *watched) Add(item string) { q.TypedInterface.Add(q.token(item)) }

func (q *watched) Get() (string, bool) {
	item, shutdown := q.TypedInterface.Get()
	if item == nil {
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
	q.TypedInterface.Done(held)
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

// kept answers kept: the items that are there though nobody works on them.
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
