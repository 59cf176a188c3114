package controllerruntime

import (
	"context"
	"sync"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/source"
	"stingy.invalid/driver"
)

// managed is a controller with as much of a manager as it needs: a context, and a source whose events are adds.
type managed struct {
	controller controller.TypedController[string]
	context    context.Context
	cancel     context.CancelFunc
	queue      workqueue.TypedRateLimitingInterface[string]
	lock       sync.Mutex
	early      []string // what has happened before the source was started
}

func newController(options driver.Options) driver.Candidate {
	m, runs := &managed{}, driver.NewReconciles(endings)
	config := controller.TypedOptions[string]{
		SkipNameValidation:      new(true),
		MaxConcurrentReconciles: options.MaxConcurrentReconciles,
		Reconciler:              reconciler{runs, m.Add},
		UsePriorityQueue:        new(!*plain),
	}
	if options.RateLimiter != nil {
		config.RateLimiter = driver.NewScripted[string](*options.RateLimiter)
	}
	var err error
	m.controller, err = controller.NewTypedUnmanaged("controller", config)
	if err != nil {
		panic(err)
	}
	m.context, m.cancel = context.WithCancel(context.Background())
	if err := m.controller.Watch(source.TypedFunc[string](m.listen)); err != nil {
		panic(err)
	}
	return driver.Candidate{Parts: []any{m, runs}, End: func() {
		m.Stop()
		runs.Release(succeed)
	}}
}

// Start returns when the controller has been stopped and its workers are gone.
func (m *managed) Start() {
	if err := m.controller.Start(m.context); err != nil {
		panic(err)
	}
}

func (m *managed) Stop() { m.cancel() }

// listen is told where events are to go, before the workers are started. Like the first list of an informer, it tells what has
// happened so far.
func (m *managed) listen(_ context.Context, queue workqueue.TypedRateLimitingInterface[string]) error {
	for _, key := range m.begin(queue) {
		queue.Add(key)
	}
	return nil
}

func (m *managed) begin(queue workqueue.TypedRateLimitingInterface[string]) []string {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.queue = queue
	return m.early
}

// Add is an event.
func (m *managed) Add(key string) {
	if queue := m.listener(key); queue != nil {
		queue.Add(key)
	}
}

// listener is where events go; nil, before there is any, and the key is kept.
func (m *managed) listener(key string) workqueue.TypedRateLimitingInterface[string] {
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.queue == nil {
		m.early = append(m.early, key)
	}
	return m.queue
}
