package queue

import (
	"sync"
	"sync/atomic"
)

// Mixed is no right queue: its methods meet in whatever Go has for it.
type Mixed struct {
	mu     sync.RWMutex
	items  []string
	count  atomic.Int64
	signal chan struct{}
	ends   sync.Once
	over   chan struct{}
	adding sync.WaitGroup
}

func NewMixed() *Mixed {
	return &Mixed{signal: make(chan struct{}, 1), over: make(chan struct{})}
}

func (m *Mixed) Add(item string) {
	m.adding.Add(1)
	defer m.adding.Done()
	m.mu.Lock()
	m.items = append(m.items, item)
	m.mu.Unlock()
	m.count.Add(1)
	if m.count.Load() == 1 {
		m.signal <- struct{}{}
	}
}

func (m *Mixed) Get() (string, bool) {
	<-m.signal
	m.mu.RLock()
	defer m.mu.RUnlock()
	if len(m.items) == 0 {
		return "", true
	}
	return m.items[len(m.items)-1], false
}

func (m *Mixed) Done(string) {
	if m.mu.TryLock() {
		m.items = nil
		m.mu.Unlock()
	}
}

func (m *Mixed) Len() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return len(m.items) + int(m.count.Load())
}

func (m *Mixed) ShutDown() {
	m.ends.Do(func() {
		m.adding.Wait()
		close(m.over)
	})
}

func (m *Mixed) ShuttingDown() bool {
	<-m.over
	return true
}
