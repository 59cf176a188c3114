package kubeproxy

import "runtime"

// informer tells of what arrives during a sync, on a goroutine of its own: it may have to wait until the sync is over.
type informer struct {
	begun bool
	told  chan any // that it has told everything: nil, or what it has panicked with
}

func newInformer() *informer { return &informer{told: make(chan any, 1)} }

// patience is how often all others may go on before it is taken to wait. A bubble cannot tell who waits for a mutex.
const patience = 1000

// tell has it begin, and returns when it has told everything, or waits.
func (i *informer) tell(what func()) {
	i.begun = true
	go func() {
		defer func() { i.told <- recover() }()
		what()
	}()
	for tries := 0; len(i.told) == 0 && tries < patience; tries++ {
		runtime.Gosched()
	}
}

// finish returns when it is through, and panics as it has.
func (i *informer) finish() {
	if !i.begun {
		return
	}
	if raised := <-i.told; raised != nil {
		panic(raised)
	}
}
