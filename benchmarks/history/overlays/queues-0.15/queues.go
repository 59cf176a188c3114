package clientgo

import (
	"k8s.io/client-go/util/workqueue"
	"stingy.invalid/driver"
)

// Until 0.15, a provider of metrics has to make some that were given up since: so these queues tell nothing of themselves.

func newQueue(driver.Options) driver.Candidate {
	made := workqueue.New()
	return driver.Candidate{Parts: []any{queue{made}}, End: made.ShutDown}
}

func newDelayingQueue(driver.Options) driver.Candidate {
	made := workqueue.NewDelayingQueue()
	return driver.Candidate{Parts: []any{queue{made}, delaying{made}}, End: made.ShutDown}
}

func newRateLimitingQueue(options driver.Options) driver.Candidate {
	asks := workqueue.DefaultControllerRateLimiter()
	if options.RateLimiter != nil {
		asks = driver.NewScripted[any](*options.RateLimiter)
	}
	made := workqueue.NewRateLimitingQueue(asks)
	return driver.Candidate{Parts: []any{queue{made}, delaying{made}, limiting{made}}, End: made.ShutDown}
}
