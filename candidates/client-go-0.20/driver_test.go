// Package clientgo lets stingy judge the work queues and rate limiters of an older k8s.io/client-go over driver protocol 1.
package clientgo

import (
	"testing"

	"k8s.io/client-go/util/workqueue"
	clientgo "stingy.invalid/candidates/client-go-driver"
	"stingy.invalid/driver"
)

var clientGo = driver.Driver{
	Name:   "client-go",
	Module: "k8s.io/client-go",
	Sample: workqueue.New,
	Ops:    driver.Queue.With(driver.Delay, driver.Limit, driver.Metrics, driver.Running, clientgo.When),
	Impls: map[string]func(driver.Options) driver.Candidate{
		"work_queue":          newQueue,
		"delaying_queue":      newDelayingQueue,
		"rate_limiting_queue": newRateLimitingQueue,

		"exponential_rate_limiter":        clientgo.ByItself(newExponential),
		"fast_slow_rate_limiter":          clientgo.ByItself(newFastSlow),
		"bucket_rate_limiter":             clientgo.ByItself(newBucket),
		"max_of_rate_limiter":             clientgo.ByItself(newMaxOf),
		"default_controller_rate_limiter": clientgo.ByItself(newDefaultController),
		"default_item_rate_limiter":       clientgo.ByItself(newDefaultItem),
	},
}

func TestMain(m *testing.M) { driver.Main(m) }

func TestDriver(t *testing.T) { driver.Serve(t, &clientGo) }
