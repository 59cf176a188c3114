package controllerruntime

import (
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"stingy.invalid/driver"
)

// Until 0.21, a priority that is not set is 0.
func options(req driver.Request) priorityqueue.AddOpts {
	return priorityqueue.AddOpts{After: req.NS, RateLimited: req.RateLimited, Priority: req.Priority}
}
