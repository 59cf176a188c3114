// Package endpointslice lets stingy judge the trigger-time tracker of k8s.io/endpointslice, and the annotations that its
// reconciler writes, over driver protocol 1.
package endpointslice

import (
	"testing"

	"k8s.io/endpointslice/util"
	"stingy.invalid/driver"
)

var endpointSlice = driver.Driver{
	Name:   "endpointslice",
	Module: "k8s.io/endpointslice",
	Sample: util.NewTriggerTimeTracker,
	Ops: driver.Ops{
		"compute": driver.OnKeys(compute),
		"delete":  driver.OnKeys(forget),
		"format":  driver.OnKeys(format),
	},
	Impls: map[string]func(driver.Options) driver.Candidate{
		"trigger_time_tracker": newTracker,
		"annotation_codec":     newWriter,
	},
}

func TestMain(m *testing.M) { driver.Main(m) }

func TestDriver(t *testing.T) { driver.Serve(t, &endpointSlice) }
