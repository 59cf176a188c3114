package clientgo

import (
	"golang.org/x/time/rate"
	"k8s.io/client-go/util/workqueue"
	"stingy.invalid/driver"
)

func newExponential(options driver.Options) limiter {
	return limiter{workqueue.NewItemExponentialFailureRateLimiter(options.BaseDelay, options.MaxDelay)}
}

func newFastSlow(options driver.Options) limiter {
	return limiter{workqueue.NewItemFastSlowRateLimiter(options.FastDelay, options.SlowDelay, options.MaxFastAttempts)}
}

func newBucket(options driver.Options) limiter {
	return limiter{&workqueue.BucketRateLimiter{Limiter: rate.NewLimiter(rate.Limit(options.Rate), options.Burst)}}
}

func newMaxOf(options driver.Options) limiter {
	var all []workqueue.RateLimiter
	for _, script := range options.Limiters {
		all = append(all, driver.NewScripted[any](script))
	}
	return limiter{workqueue.NewMaxOfRateLimiter(all...)}
}

func newDefaultController(driver.Options) limiter {
	return limiter{workqueue.DefaultControllerRateLimiter()}
}

func newDefaultItem(driver.Options) limiter {
	return limiter{workqueue.DefaultItemBasedRateLimiter()}
}
