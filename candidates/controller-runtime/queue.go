package controllerruntime

import (
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	clientgo "stingy.invalid/candidates/client-go-driver"
	"stingy.invalid/driver"
)

type queue = priorityqueue.PriorityQueue[string]

// handout answers get_with_priority.
type handout struct {
	driver.Delivery
	Priority int `json:"priority"`
}

var priorityOps = driver.Ops{
	"add_with_opts": driver.OnItem(func(q queue, item string, req driver.Request) any {
		q.AddWithOpts(options(req), item)
		return nil
	}),
	"add_all_with_opts": driver.On(func(q queue, req driver.Request) any {
		q.AddWithOpts(options(req), req.Items...)
		return nil
	}),
	"get_with_priority": driver.On(func(q queue, _ driver.Request) any {
		item, priority, shutdown := q.GetWithPriority()
		return handout{driver.Delivered(item, shutdown), priority}
	}),
}

// newQueue makes a priority queue, whatever else it is to be judged as: it has the methods of all the others.
func newQueue(with driver.Options) driver.Candidate {
	recorder := &driver.Recorder{}
	made := priorityqueue.New(with.Name, func(its *priorityqueue.Opts[string]) {
		if with.RateLimiter != nil {
			its.RateLimiter = driver.NewScripted[string](*with.RateLimiter)
		}
		if with.Metrics != nil {
			its.MetricProvider = clientgo.Provider{Recorder: recorder}
		}
	})
	return driver.Candidate{Parts: []any{made, recorder}, End: made.ShutDown}
}
