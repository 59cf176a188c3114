package clientgo

import (
	"time"

	"k8s.io/client-go/util/workqueue"
)

// These releases take items of any type. The types here have the methods for items that are strings, and nothing else.

type queue struct{ workqueue.Interface }

func (q queue) Add(item string)  { q.Interface.Add(item) }
func (q queue) Done(item string) { q.Interface.Done(item) }

func (q queue) Get() (string, bool) {
	item, shutdown := q.Interface.Get()
	text, _ := item.(string) // there is none beside a shutdown
	return text, shutdown
}

type delaying struct{ queue workqueue.DelayingInterface }

func (d delaying) AddAfter(item string, after time.Duration) { d.queue.AddAfter(item, after) }

type limiting struct {
	queue workqueue.RateLimitingInterface
}

func (l limiting) AddRateLimited(item string)  { l.queue.AddRateLimited(item) }
func (l limiting) Forget(item string)          { l.queue.Forget(item) }
func (l limiting) NumRequeues(item string) int { return l.queue.NumRequeues(item) }

type limiter struct{ limiter workqueue.RateLimiter }

func (l limiter) When(item string) time.Duration { return l.limiter.When(item) }
func (l limiter) Forget(item string)             { l.limiter.Forget(item) }
func (l limiter) NumRequeues(item string) int    { return l.limiter.NumRequeues(item) }
