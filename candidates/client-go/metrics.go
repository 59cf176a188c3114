package clientgo

import (
	"k8s.io/client-go/util/workqueue"
	"stingy.invalid/candidates/driver"
)

// provider gives a queue the recorder's metrics, by the names of the contract.
type provider struct{ *driver.Recorder }

func (p provider) NewDepthMetric(name string) workqueue.GaugeMetric {
	return p.Metric(name, "depth")
}

func (p provider) NewAddsMetric(name string) workqueue.CounterMetric {
	return p.Metric(name, "adds")
}

func (p provider) NewLatencyMetric(name string) workqueue.HistogramMetric {
	return p.Duration(name, "queue_duration")
}

func (p provider) NewWorkDurationMetric(name string) workqueue.HistogramMetric {
	return p.Duration(name, "work_duration")
}

func (p provider) NewUnfinishedWorkSecondsMetric(name string) workqueue.SettableGaugeMetric {
	return p.Metric(name, "unfinished_work")
}

func (p provider) NewLongestRunningProcessorSecondsMetric(name string) workqueue.SettableGaugeMetric {
	return p.Metric(name, "longest_running")
}

func (p provider) NewRetriesMetric(name string) workqueue.CounterMetric {
	return p.Metric(name, "retries")
}
