package queue

import (
	"sync"
	"time"
)

// Selecting is no right queue either: whatever is asked of it goes through channels, of which several may be ready at once.
type Selecting struct {
	items, more chan string
	results     chan string
	over        chan struct{}
	lens        chan chan int
}

func NewSelecting() *Selecting {
	s := &Selecting{
		items: make(chan string), more: make(chan string, 1), results: make(chan string), over: make(chan struct{}),
		lens: make(chan chan int),
	}
	go s.collect()
	return s
}

func (s *Selecting) collect() {
	var held []string
	var hands chan string
	for {
		next := ""
		if hands = nil; len(held) > 0 {
			hands, next = s.results, held[0]
		}
		select {
		case item := <-s.items:
			held = append(held, item)
		case item := <-s.more:
			held = append([]string{item}, held...)
		case hands <- next:
			held = held[1:]
		case answer := <-s.lens:
			answer <- len(held)
		case <-s.over:
			return
		}
	}
}

func (s *Selecting) Add(item string) {
	select {
	case s.items <- item:
	case s.more <- item:
	case <-s.over:
	}
}

func (s *Selecting) Get() (string, bool) {
	select {
	case item := <-s.results:
		return item, false
	case item := <-s.more:
		return item, false
	case <-s.over:
		return "", true
	}
}

func (s *Selecting) Done(item string) {
	select {
	case s.more <- item:
	default:
	}
}

func (s *Selecting) Len() int {
	answer := make(chan int, 1)
	soon, late := time.NewTimer(0), time.NewTimer(time.Second)
	defer soon.Stop()
	defer late.Stop()
	select {
	case s.lens <- answer:
		return <-answer
	case <-soon.C:
		return -1
	case <-late.C:
		return -2
	}
}

func (s *Selecting) ShutDown() { close(s.over) }

func (s *Selecting) ShuttingDown() bool {
	select {
	case <-s.over:
		return true
	default:
		return false
	}
}

// Handing is smaller: there is nobody between those who add and those who get.
type Handing struct {
	items chan string
	over  chan struct{}
}

func NewHanding() *Handing { return &Handing{make(chan string), make(chan struct{})} }

func (h *Handing) Add(item string) {
	select {
	case h.items <- item:
	case <-h.over:
	}
}

func (h *Handing) Get() (string, bool) {
	select {
	case item := <-h.items:
		return item, false
	case <-h.over:
		return "", true
	}
}

func (h *Handing) Done(item string) {
	select {
	case h.items <- item:
	default:
	}
}

func (h *Handing) Len() int {
	select {
	case <-h.items:
		return 1
	case <-h.over:
		return 2
	case <-time.After(0):
		return 0
	}
}

func (h *Handing) ShutDown() { close(h.over) }

func (h *Handing) ShuttingDown() bool {
	select {
	case <-h.over:
		return true
	case h.items <- "":
		return false
	default:
		return false
	}
}

// Belled is a right queue: a Get that finds no item waits in a select, until a bell rings or for a while. The first Len makes a lock.
type Belled struct {
	*Queue
	bell, over chan struct{}
	ends       sync.Once
	tally      *tally
}

type tally struct {
	sync.RWMutex
	since time.Time
}

func NewBelled() *Belled {
	return &Belled{Queue: New(""), bell: make(chan struct{}, 1), over: make(chan struct{})}
}

func (b *Belled) Add(item string) {
	b.Queue.Add(item)
	b.ring()
}

func (b *Belled) Done(item string) {
	b.Queue.Done(item)
	b.ring()
}

func (b *Belled) Len() int {
	b.changed.L.Lock()
	if b.tally == nil {
		b.tally = new(tally)
		*b.tally = tally{since: time.Now()}
	}
	b.changed.L.Unlock()
	b.tally.RLock()
	defer b.tally.RUnlock()
	return b.Queue.Len()
}

func (b *Belled) ring() {
	select {
	case b.bell <- struct{}{}:
	default:
	}
}

func (b *Belled) Get() (string, bool) {
	for b.Len() == 0 && !b.ShuttingDown() {
		select {
		case <-b.bell:
		case <-b.over:
		case <-time.After(300 * time.Millisecond):
		}
	}
	return b.Queue.Get()
}

func (b *Belled) ShutDown() {
	b.Queue.ShutDown()
	b.ends.Do(func() { close(b.over) })
}
