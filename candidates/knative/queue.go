package knative

import (
	"context"
	"time"

	"go.uber.org/zap"
	"k8s.io/client-go/util/workqueue"
	"knative.dev/pkg/controller"
	clientgo "stingy.invalid/candidates/client-go-driver"
	"stingy.invalid/driver"
)

// provider is that of all queues: knative takes one for the whole process, and no other after it.
var provider = &clientgo.Provider{}

func init() { controller.SetMetricsProvider(provider) }

// queue is a two-lane queue of any items, with the methods for items that are strings.
type queue struct {
	lanes workqueue.TypedRateLimitingInterface[any]
}

// newQueue makes the queue of a controller that is not run: it is made in no other way. It has the methods of them all.
func newQueue(options driver.Options) driver.Candidate {
	provider.Recorder = &driver.Recorder{}
	made := newImpl(nil, options).WorkQueue()
	return driver.Candidate{Parts: []any{queue{made}, provider.Recorder}, End: made.ShutDown}
}

func newImpl(reconciler controller.Reconciler, options driver.Options) *controller.Impl {
	its := controller.ControllerOptions{
		WorkQueueName: options.Name,
		Logger:        zap.NewNop().Sugar(),
		Concurrency:   options.MaxConcurrentReconciles,
	}
	if options.RateLimiter != nil {
		its.RateLimiter = driver.NewScripted[any](*options.RateLimiter)
	}
	return controller.NewContext(context.Background(), reconciler, its)
}

func (q queue) Add(item string)  { q.lanes.Add(item) }
func (q queue) Done(item string) { q.lanes.Done(item) }

func (q queue) Get() (string, bool) {
	item, shutdown := q.lanes.Get()
	text, _ := item.(string) // there is none beside a shutdown
	return text, shutdown
}

func (q queue) Len() int           { return q.lanes.Len() }
func (q queue) ShutDown()          { q.lanes.ShutDown() }
func (q queue) ShutDownWithDrain() { q.lanes.ShutDownWithDrain() }
func (q queue) ShuttingDown() bool { return q.lanes.ShuttingDown() }

func (q queue) AddAfter(item string, after time.Duration) { q.lanes.AddAfter(item, after) }

func (q queue) AddRateLimited(item string)  { q.lanes.AddRateLimited(item) }
func (q queue) Forget(item string)          { q.lanes.Forget(item) }
func (q queue) NumRequeues(item string) int { return q.lanes.NumRequeues(item) }
