// Package clientgo lets stingy judge the exponential rate limiter of the time before there was a client-go, when work queues
// were a package of Kubernetes itself.
package clientgo

import (
	"testing"
	"time"

	"k8s.io/kubernetes/pkg/util/workqueue"
	clientgo "stingy.invalid/candidates/client-go-driver"
	"stingy.invalid/driver"
)

var kubernetes = driver.Driver{
	Name:   "Kubernetes' workqueue",
	Module: "k8s.io/kubernetes",
	Sample: workqueue.New,
	Ops: driver.Ops{
		"forget": driver.Limit["forget"], "num_requeues": driver.Limit["num_requeues"], "when": clientgo.When["when"],
	},
	Impls: map[string]func(driver.Options) driver.Candidate{
		"exponential_rate_limiter": clientgo.ByItself(func(options driver.Options) limiter {
			return limiter{workqueue.NewItemExponentialFailureRateLimiter(options.BaseDelay, options.MaxDelay)}
		}),
	},
}

type limiter struct{ limiter workqueue.RateLimiter }

func (l limiter) When(item string) time.Duration { return l.limiter.When(item) }
func (l limiter) Forget(item string)             { l.limiter.Forget(item) }
func (l limiter) NumRequeues(item string) int    { return l.limiter.NumRequeues(item) }

func TestMain(m *testing.M) { driver.Main(m) }

func TestDriver(t *testing.T) { driver.Serve(t, &kubernetes) }
