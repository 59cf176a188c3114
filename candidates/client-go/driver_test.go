// Package clientgo lets stingy judge the work queues and rate limiters of k8s.io/client-go over driver protocol 1.
package clientgo

import (
	"testing"

	"k8s.io/client-go/util/workqueue"
	"stingy.invalid/candidates/driver"
)

var clientGo = driver.Driver{
	Name:   "client-go",
	Module: "k8s.io/client-go",
	Sample: workqueue.New,
	Ops: driver.Queue.With(driver.Drain, driver.Delay, driver.Limit, driver.Metrics, driver.Ops{
		"when":       driver.OnItem(func(l limiter, item string, _ driver.Request) any { return l.When(item) }),
		"hook_calls": driver.On(func(s *store, _ driver.Request) any { return s.read() }),
	}),
	Impls: map[string]func(driver.Options) driver.Candidate{
		"work_queue":          newQueue,
		"delaying_queue":      newDelayingQueue,
		"rate_limiting_queue": newRateLimitingQueue,

		"exponential_rate_limiter":        byItself(newExponential),
		"fast_slow_rate_limiter":          byItself(newFastSlow),
		"bucket_rate_limiter":             byItself(newBucket),
		"max_of_rate_limiter":             byItself(newMaxOf),
		"max_wait_rate_limiter":           byItself(newMaxWait),
		"default_controller_rate_limiter": byItself(newDefaultController),
		"default_item_rate_limiter":       byItself(newDefaultItem),
	},
}

func TestMain(m *testing.M) { driver.Main(m) }

func TestDriver(t *testing.T) { driver.Serve(t, &clientGo) }
