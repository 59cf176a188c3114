package clientgo

import (
	"golang.org/x/time/rate"
	"k8s.io/client-go/util/workqueue"
	"stingy.invalid/driver"
)

type limiter = workqueue.TypedRateLimiter[string]

func newExponential(options driver.Options) limiter {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[string](options.BaseDelay, options.MaxDelay)
}

func newFastSlow(options driver.Options) limiter {
	return workqueue.NewTypedItemFastSlowRateLimiter[string](options.FastDelay, options.SlowDelay, options.MaxFastAttempts)
}

func newBucket(options driver.Options) limiter {
	return &workqueue.TypedBucketRateLimiter[string]{Limiter: rate.NewLimiter(rate.Limit(options.Rate), options.Burst)}
}

func newMaxOf(options driver.Options) limiter {
	var all []limiter
	for _, script := range options.Limiters {
		all = append(all, driver.NewScripted[string](script))
	}
	return workqueue.NewTypedMaxOfRateLimiter(all...)
}

func newMaxWait(options driver.Options) limiter {
	return workqueue.NewTypedWithMaxWaitRateLimiter[string](driver.NewScripted[string](options.Limiter), options.MaxDelay)
}

func newDefaultController(driver.Options) limiter {
	return workqueue.DefaultTypedControllerRateLimiter[string]()
}

func newDefaultItem(driver.Options) limiter {
	return workqueue.DefaultTypedItemBasedRateLimiter[string]()
}
