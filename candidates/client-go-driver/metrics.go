// Package clientgo is what the drivers for client-go, old and new, and for what is made on it have in common.
package clientgo

import (
	"k8s.io/client-go/util/workqueue"
	"stingy.invalid/driver"
)

// Provider gives a queue the recorder's metrics, by the names of the contract.
type Provider struct{ *driver.Recorder }

func (p Provider) NewDepthMetric(name string) workqueue.GaugeMetric {
	return p.Metric(name, "depth")
}

func (p Provider) NewAddsMetric(name string) workqueue.CounterMetric {
	return p.Metric(name, "adds")
}

func (p Provider) NewLatencyMetric(name string) workqueue.HistogramMetric {
	return p.Duration(name, "queue_duration")
}

func (p Provider) NewWorkDurationMetric(name string) workqueue.HistogramMetric {
	return p.Duration(name, "work_duration")
}

func (p Provider) NewUnfinishedWorkSecondsMetric(name string) workqueue.SettableGaugeMetric {
	return p.Metric(name, "unfinished_work")
}

func (p Provider) NewLongestRunningProcessorSecondsMetric(name string) workqueue.SettableGaugeMetric {
	return p.Metric(name, "longest_running")
}

func (p Provider) NewRetriesMetric(name string) workqueue.CounterMetric {
	return p.Metric(name, "retries")
}
