package clientgo

import (
	"slices"
	"sync"
)

// store keeps the items of a work queue. It hands out what came last, keeps back as many as it is told to hide, and takes
// note of what it is asked.
type store struct {
	hides int
	lock  sync.Mutex // for the calls: the queue calls one method at a time, but the runner reads while it does
	calls [][2]string
	items []string
}

func (s *store) Touch(item string) { s.note("touch", item) }

func (s *store) Push(item string) {
	s.note("push", item)
	s.items = append(s.items, item)
}

func (s *store) Pop() string {
	last := len(s.items) - 1
	item := s.items[last]
	s.items = s.items[:last]
	s.note("pop", item)
	return item
}

func (s *store) Len() int { return max(0, len(s.items)-s.hides) }

func (s *store) note(call, item string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.calls = append(s.calls, [2]string{call, item})
}

// read answers hook_calls.
func (s *store) read() any {
	s.lock.Lock()
	defer s.lock.Unlock()
	return slices.Clone(s.calls)
}
