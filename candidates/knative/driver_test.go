// Package knative lets stingy judge the two-lane queue and the controller of knative.dev/pkg over driver protocol 1.
package knative

import (
	"testing"

	"knative.dev/pkg/controller"
	"stingy.invalid/driver"
)

var knative = driver.Driver{
	Name:   "knative",
	Module: "knative.dev/pkg",
	Sample: controller.NewContext,
	Ops:    driver.Queue.With(driver.Drain, driver.Delay, driver.Limit, driver.Metrics, driver.Running, driver.Controller),
	Impls: map[string]func(driver.Options) driver.Candidate{
		"work_queue":          newQueue,
		"delaying_queue":      newQueue,
		"rate_limiting_queue": newQueue,
		"controller":          newController,
	},
}

func TestMain(m *testing.M) { driver.Main(m) }

func TestDriver(t *testing.T) { driver.Serve(t, &knative) }
