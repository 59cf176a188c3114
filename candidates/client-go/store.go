package clientgo

import (
	"slices"
	"sync"

	"stingy.invalid/driver/sched"
)

// store keeps the items of a work queue. It hands out what came last, keeps back as many as it is told to hide, and takes
// note of what it is asked. It panics if it is asked while it is being asked: the queue has to see to that.
type store struct {
	hides int
	asked sync.Mutex
	items []string

	noting sync.Mutex // for the runner may read while the queue goes on
	calls  [][2]string
}

func (s *store) Touch(item string) {
	defer s.alone()()
	s.note("touch", item)
}

func (s *store) Push(item string) {
	defer s.alone()()
	s.note("push", item)
	s.items = append(s.items, item)
}

func (s *store) Pop() string {
	defer s.alone()()
	last := len(s.items) - 1
	item := s.items[last]
	s.items = s.items[:last]
	s.note("pop", item)
	return item
}

func (s *store) Len() int {
	defer s.alone()()
	return max(0, len(s.items)-s.hides)
}

func (s *store) alone() (over func()) {
	if !sched.TryLock("", &s.asked) {
		panic("the store is asked while it is being asked")
	}
	sched.Gosched("") // if another goroutine can come in between, let it
	return func() { sched.Unlock("", &s.asked) }
}

func (s *store) note(call, item string) {
	s.noting.Lock()
	defer s.noting.Unlock()
	s.calls = append(s.calls, [2]string{call, item})
}

// read answers hook_calls.
func (s *store) read() any {
	s.noting.Lock()
	defer s.noting.Unlock()
	return slices.Clone(s.calls)
}
