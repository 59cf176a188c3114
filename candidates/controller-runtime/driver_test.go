// Package controllerruntime lets stingy judge the priority queue and the controller of sigs.k8s.io/controller-runtime over
// driver protocol 1.
package controllerruntime

import (
	"flag"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/controller"
	"stingy.invalid/driver"
)

var plain = flag.Bool("plain", false, "judge the controller alone, on client-go's queue instead of the priority queue")

var controllerRuntime = driver.Driver{
	Name:   "controller-runtime",
	Module: "sigs.k8s.io/controller-runtime",
	Sample: controller.NewUnmanaged,
	Ops:    driver.Controller.With(driver.Queue, driver.Delay, driver.Limit, driver.Metrics, driver.Running, priorityOps),
	Impls: map[string]func(driver.Options) driver.Candidate{
		"priority_queue":      newQueue,
		"work_queue":          newQueue,
		"delaying_queue":      newQueue,
		"rate_limiting_queue": newQueue,
		"controller":          newController,
	},
}

var onClientGosQueue = driver.Driver{
	Name:   "controller-runtime on client-go's queue",
	Module: controllerRuntime.Module,
	Sample: controllerRuntime.Sample,
	Ops:    driver.Controller,
	Impls:  map[string]func(driver.Options) driver.Candidate{"controller": newController},
}

func TestMain(m *testing.M) { driver.Main(m) }

func TestDriver(t *testing.T) {
	if *plain {
		driver.Serve(t, &onClientGosQueue)
	} else {
		driver.Serve(t, &controllerRuntime)
	}
}
