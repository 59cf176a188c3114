package kubeproxy

import (
	"runtime"
	"syscall"
	"time"
)

// informer tells of what arrives during a sync, on a goroutine of its own: it may have to wait until the sync is over.
type informer struct {
	begun bool
	told  chan any // that it has told everything: nil, or what it has panicked with
}

func newInformer() *informer { return &informer{told: make(chan any, 1)} }

// patience is how long it may take, on a busy machine, until it is taken to wait: a bubble cannot tell who waits for a mutex.
// kube-proxy has no informer wait.
const patience = time.Second

// tell has it begin, and returns when it has told everything, or waits.
func (i *informer) tell(what func()) {
	i.begun = true
	go func() {
		defer func() { i.told <- recover() }()
		what()
	}()
	for began := realTime(); len(i.told) == 0 && realTime()-began < patience; {
		runtime.Gosched()
	}
}

// realTime is that of the machine, which passes in a bubble as well.
func realTime() time.Duration {
	var now syscall.Timeval
	if err := syscall.Gettimeofday(&now); err != nil {
		panic(err)
	}
	return time.Duration(now.Nano())
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
