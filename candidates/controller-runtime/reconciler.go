package controllerruntime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

var errFailed = errors.New("it did not work out")

// reconciler goes on with every key until it is told how to end.
type reconciler struct {
	lock     sync.Mutex
	underWay []*run
	released bool
}

// run is one call of Reconcile.
type run struct {
	key string
	end chan func() (reconcile.Result, error)
}

func (r *reconciler) Reconcile(_ context.Context, key string) (reconcile.Result, error) {
	begun := &run{key, make(chan func() (reconcile.Result, error), 1)}
	if !r.begin(begun) {
		return reconcile.Result{}, nil
	}
	return (<-begun.end)()
}

func (r *reconciler) begin(begun *run) bool {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.underWay = append(r.underWay, begun)
	return !r.released
}

// keys answers reconciles: those under way, each as often as it is.
func (r *reconciler) keys() any {
	r.lock.Lock()
	defer r.lock.Unlock()
	keys := []string{}
	for _, each := range r.underWay {
		keys = append(keys, each.key)
	}
	return keys
}

// finish ends the run of this key that has gone on longest; it answers false if none can end so.
func (r *reconciler) finish(key, kind string, after time.Duration) any {
	end, ok := ending(kind, after)
	if !ok {
		return false
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	at := slices.IndexFunc(r.underWay, func(each *run) bool { return each.key == key })
	if at < 0 {
		panic("no reconcile of this key is under way")
	}
	r.underWay[at].end <- end
	r.underWay = slices.Delete(r.underWay, at, at+1)
	return true
}

// release ends all runs, and all to come.
func (r *reconciler) release() {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.released = true
	for _, each := range r.underWay {
		each.end <- func() (reconcile.Result, error) { return reconcile.Result{}, nil }
	}
	r.underWay = nil
}

func ending(kind string, after time.Duration) (func() (reconcile.Result, error), bool) {
	var result reconcile.Result
	var err error
	switch kind {
	case "ok":
	case "error":
		err = errFailed
	case "panic":
		return func() (reconcile.Result, error) { panic("it was not prepared for this") }, true
	case "terminal":
		err = reconcile.TerminalError(errFailed)
	case "wrapped":
		err = fmt.Errorf("it cannot: %w", reconcile.TerminalError(errFailed))
	case "requeue":
		result.Requeue = true //nolint:staticcheck // deprecated, but there
	case "requeue_after":
		result.RequeueAfter = after
	case "both":
		result.Requeue, result.RequeueAfter = true, after //nolint:staticcheck
	default:
		return nil, false
	}
	return func() (reconcile.Result, error) { return result, err }, true
}
