package clientgo

import (
	"k8s.io/client-go/util/workqueue"
	clientgo "stingy.invalid/candidates/client-go-driver"
	"stingy.invalid/driver"
)

// newQueue makes a plain queue; one with no options is what workqueue.NewTyped makes.
func newQueue(options driver.Options) driver.Candidate {
	if options.Watched {
		return candidate(newWatched())
	}
	config := workqueue.TypedQueueConfig[string]{Name: options.Name}
	var around []any
	if options.Metrics != nil {
		recorder := &driver.Recorder{}
		config.MetricsProvider = clientgo.Provider{Recorder: recorder}
		around = append(around, recorder)
	}
	if options.Queue != nil {
		kept := &store{hides: options.Queue.Hides, calls: [][2]string{}}
		config.Queue = kept
		around = append(around, kept)
	}
	return candidate(workqueue.NewTypedWithConfig(config), around...)
}

func newDelayingQueue(options driver.Options) driver.Candidate {
	config := workqueue.TypedDelayingQueueConfig[string]{Name: options.Name}
	var around []any
	if options.Metrics != nil {
		recorder := &driver.Recorder{}
		config.MetricsProvider = clientgo.Provider{Recorder: recorder}
		around = append(around, recorder)
	}
	return candidate(workqueue.NewTypedDelayingQueueWithConfig(config), around...)
}

func newRateLimitingQueue(options driver.Options) driver.Candidate {
	limiter := workqueue.DefaultTypedControllerRateLimiter[string]()
	if options.RateLimiter != nil {
		limiter = driver.NewScripted[string](*options.RateLimiter)
	}
	return candidate(workqueue.NewTypedRateLimitingQueue(limiter))
}

func candidate(queue interface{ ShutDown() }, around ...any) driver.Candidate {
	return driver.Candidate{Parts: append([]any{queue}, around...), End: queue.ShutDown}
}
