package knative

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"knative.dev/pkg/controller"
	"stingy.invalid/driver"
)

// managed is a controller with the context that it runs in.
type managed struct {
	controller *controller.Impl
	context    context.Context
	cancel     context.CancelFunc
}

func newController(options driver.Options) driver.Candidate {
	provider.Recorder = &driver.Recorder{}
	runs := driver.NewReconciles(endings)
	m := &managed{controller: newImpl(reconciler{runs}, options)}
	m.context, m.cancel = context.WithCancel(context.Background())
	return driver.Candidate{Parts: []any{m, runs}, End: func() {
		m.Stop()
		runs.Release(succeed)
		m.controller.WorkQueue().ShutDown() // where it has never been started
	}}
}

// Start returns when the controller has been stopped and its workers are gone.
func (m *managed) Start() {
	if err := m.controller.Run(m.context); err != nil {
		panic(err)
	}
}

func (m *managed) Stop() { m.cancel() }

// Add is an event. A key without a namespace is its name.
func (m *managed) Add(key string) { m.controller.EnqueueKey(types.NamespacedName{Name: key}) }

var errFailed = errors.New("it did not work out")

// ending is what a reconcile ends with.
type ending = func() error

// reconciler goes on with every key until it is told how to end.
type reconciler struct{ runs *driver.Reconciles[ending] }

func (r reconciler) Reconcile(_ context.Context, key string) error { return r.runs.Run(key)() }

func succeed() error { return nil }

// endings has no Requeue that asks the rate limiter: NewRequeueImmediately comes at once. And a NewRequeueAfter of no time
// does so too, as it says, where with controller-runtime that is no requeue.
func endings(kind string, after time.Duration) (ending, bool) {
	var err error
	switch {
	case kind == "ok":
	case kind == "error":
		err = errFailed
	case kind == "panic":
		return func() error { panic("it was not prepared for this") }, true
	case kind == "terminal":
		err = controller.NewPermanentError(errFailed)
	case kind == "wrapped":
		err = fmt.Errorf("it cannot: %w", controller.NewPermanentError(errFailed))
	case kind == "requeue_after" && after > 0:
		err = controller.NewRequeueAfter(after)
	default:
		return nil, false
	}
	return func() error { return err }, true
}
