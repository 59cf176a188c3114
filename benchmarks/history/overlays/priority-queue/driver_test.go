// Package controllerruntime lets stingy judge the priority queue of sigs.k8s.io/controller-runtime alone, which is built in a
// tenth of the time that its controller takes.
package controllerruntime

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"stingy.invalid/driver"
)

var priorityQueue = driver.Driver{
	Name:   "controller-runtime",
	Module: "sigs.k8s.io/controller-runtime",
	Sample: priorityqueue.New[string],
	Ops:    driver.Queue.With(driver.Delay, driver.Limit, driver.Metrics, driver.Running, priorityOps),
	Impls: map[string]func(driver.Options) driver.Candidate{
		"priority_queue":      newQueue,
		"work_queue":          newQueue,
		"delaying_queue":      newQueue,
		"rate_limiting_queue": newQueue,
	},
}

func TestMain(m *testing.M) { driver.Main(m) }

func TestDriver(t *testing.T) { driver.Serve(t, &priorityQueue) }
