package driver

import (
	"slices"
	"sync"
	"time"
)

// Reconciles are the runs of the reconcile function that a controller is made with. Each goes on until it is told how to
// end.
type Reconciles[End any] struct {
	endings  func(kind string, after time.Duration) (End, bool)
	lock     sync.Mutex
	underWay []*reconcile[End]
	next     map[string][]End // how those end that have not begun
	released *End
}

type reconcile[End any] struct {
	key string
	end chan End
}

// NewReconciles takes what a run is to end with, for each kind of ending that there is.
func NewReconciles[End any](endings func(kind string, after time.Duration) (End, bool)) *Reconciles[End] {
	return &Reconciles[End]{endings: endings, next: map[string][]End{}}
}

// Run is one run, for as long as it goes on; the reconcile function then ends with what it returns.
func (r *Reconciles[End]) Run(key string) End {
	begun := &reconcile[End]{key, make(chan End, 1)}
	r.begin(begun)
	return <-begun.end
}

func (r *Reconciles[End]) begin(begun *reconcile[End]) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.released != nil {
		begun.end <- *r.released
		return
	}
	if next := r.next[begun.key]; len(next) > 0 {
		begun.end <- next[0]
		r.next[begun.key] = next[1:]
		return
	}
	r.underWay = append(r.underWay, begun)
}

// Release ends all runs so, and all to come: for the End of a Candidate.
func (r *Reconciles[End]) Release(end End) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.released = &end
	for _, each := range r.underWay {
		each.end <- end
	}
	r.underWay = nil
}

// keys answers reconciles: those under way, each as often as it is.
func (r *Reconciles[End]) keys() any {
	r.lock.Lock()
	defer r.lock.Unlock()
	keys := []string{}
	for _, each := range r.underWay {
		keys = append(keys, each.key)
	}
	return keys
}

// finish ends the run of this key that has gone on longest, or the next one as soon as it begins; it answers false if none
// can end so.
func (r *Reconciles[End]) finish(key, kind string, after time.Duration) any {
	end, ok := r.endings(kind, after)
	if !ok {
		return false
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	at := slices.IndexFunc(r.underWay, func(each *reconcile[End]) bool { return each.key == key })
	if at < 0 {
		r.next[key] = append(r.next[key], end)
		return true
	}
	r.underWay[at].end <- end
	r.underWay = slices.Delete(r.underWay, at, at+1)
	return true
}

// Controller holds the ops of a controller whose reconcile function is a run of Reconciles. Start returns at once, or when
// the last worker has ended.
var Controller = Ops{
	"add":        Queue["add"],
	"start":      On(func(c interface{ Start() }, _ Request) any { c.Start(); return nil }),
	"stop":       On(func(c interface{ Stop() }, _ Request) any { c.Stop(); return nil }),
	"reconciles": On(func(r interface{ keys() any }, _ Request) any { return r.keys() }),
	"finish": OnItem(func(r interface {
		finish(key, kind string, after time.Duration) any
	}, key string, req Request) any {
		return r.finish(key, req.Kind, req.NS)
	}),
}
