package clientgo

import (
	"k8s.io/client-go/util/workqueue"
	clientgo "stingy.invalid/candidates/client-go-driver"
	"stingy.invalid/driver"
)

// provider is that of all queues: these releases take one for the whole process, and no other after it.
var provider = &clientgo.Provider{}

func init() { workqueue.SetProvider(provider) }

// recording has the queues that are made from now on tell their metrics to this recorder.
func recording() *driver.Recorder {
	provider.Recorder = &driver.Recorder{}
	return provider.Recorder
}

func newQueue(options driver.Options) driver.Candidate {
	recorder := recording()
	made := workqueue.NewNamed(options.Name)
	return driver.Candidate{Parts: []any{queue{made}, recorder}, End: made.ShutDown}
}

func newDelayingQueue(options driver.Options) driver.Candidate {
	recorder := recording()
	made := workqueue.NewNamedDelayingQueue(options.Name)
	return driver.Candidate{Parts: []any{queue{made}, delaying{made}, recorder}, End: made.ShutDown}
}

func newRateLimitingQueue(options driver.Options) driver.Candidate {
	asks := workqueue.DefaultControllerRateLimiter()
	if options.RateLimiter != nil {
		asks = driver.NewScripted[any](*options.RateLimiter)
	}
	made := workqueue.NewRateLimitingQueue(asks)
	return driver.Candidate{Parts: []any{queue{made}, delaying{made}, limiting{made}}, End: made.ShutDown}
}
