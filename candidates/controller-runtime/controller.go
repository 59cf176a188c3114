package controllerruntime

import (
	"context"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/source"
	"stingy.invalid/driver"
)

var controllerOps = driver.Ops{
	"add":        driver.Queue["add"],
	"start":      driver.On(func(m *managed, _ driver.Request) any { m.start(); return nil }),
	"stop":       driver.On(func(m *managed, _ driver.Request) any { m.stop(); return nil }),
	"reconciles": driver.On(func(r *reconciler, _ driver.Request) any { return r.keys() }),
	"finish": driver.OnItem(func(r *reconciler, key string, req driver.Request) any {
		return r.finish(key, req.Kind, req.NS)
	}),
}

// managed is a controller with as much of a manager as it needs: a context, and a source whose events are adds.
type managed struct {
	controller controller.TypedController[string]
	context    context.Context
	stop       context.CancelFunc
	queue      workqueue.TypedRateLimitingInterface[string]
}

func newController(options driver.Options) driver.Candidate {
	reconciler := &reconciler{}
	config := controller.TypedOptions[string]{
		SkipNameValidation:      new(true),
		MaxConcurrentReconciles: options.MaxConcurrentReconciles,
		Reconciler:              reconciler,
		UsePriorityQueue:        new(!*plain),
	}
	if options.RateLimiter != nil {
		config.RateLimiter = driver.NewScripted[string](*options.RateLimiter)
	}
	made, err := controller.NewTypedUnmanaged("controller", config)
	if err != nil {
		panic(err)
	}
	m := &managed{controller: made}
	m.context, m.stop = context.WithCancel(context.Background())
	if err := made.Watch(source.TypedFunc[string](m.listen)); err != nil {
		panic(err)
	}
	return driver.Candidate{Parts: []any{m, reconciler}, End: func() {
		m.stop()
		reconciler.release()
	}}
}

// start returns when the controller has been stopped and its workers are gone.
func (m *managed) start() {
	if err := m.controller.Start(m.context); err != nil {
		panic(err)
	}
}

// listen is told where events are to go.
func (m *managed) listen(_ context.Context, queue workqueue.TypedRateLimitingInterface[string]) error {
	m.queue = queue
	return nil
}

// Add is an event. There are none before the controller has started.
func (m *managed) Add(key string) { m.queue.Add(key) }
