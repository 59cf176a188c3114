package controllerruntime

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"stingy.invalid/driver"
)

var errFailed = errors.New("it did not work out")

// ending is what a reconcile ends with. It may send an event about its own key.
type ending = func(event func()) (reconcile.Result, error)

// reconciler goes on with every key until it is told how to end.
type reconciler struct {
	runs  *driver.Reconciles[ending]
	event func(key string)
}

func (r reconciler) Reconcile(_ context.Context, key string) (reconcile.Result, error) {
	return r.runs.Run(key)(func() { r.event(key) })
}

func succeed(func()) (reconcile.Result, error) { return reconcile.Result{}, nil }

func endings(kind string, after time.Duration) (ending, bool) {
	var result reconcile.Result
	var err error
	switch kind {
	case "ok":
	case "event":
		return func(event func()) (reconcile.Result, error) { event(); return result, nil }, true
	case "error":
		err = errFailed
	case "panic":
		return func(func()) (reconcile.Result, error) { panic("it was not prepared for this") }, true
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
	return func(func()) (reconcile.Result, error) { return result, err }, true
}
