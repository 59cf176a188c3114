package controllerruntime

import (
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"stingy.invalid/driver"
)

func options(req driver.Request) priorityqueue.AddOpts {
	return priorityqueue.AddOpts{After: req.NS, RateLimited: req.RateLimited, Priority: &req.Priority}
}
