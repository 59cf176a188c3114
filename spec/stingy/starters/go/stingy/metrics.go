package driver

import (
	"slices"
	"sync"

	"stingy.invalid/driver/sched"
)

// Recorder keeps the metrics of every queue that has asked for some, by the queue's name.
type Recorder struct {
	lock   sync.Mutex
	queues map[string]map[string]*Metric
}

// Metric is the one of this kind for the queue of this name; made when it is first asked for.
func (r *Recorder) Metric(queue, kind string) *Metric {
	return r.metric(queue, kind, &Metric{})
}

// Duration is a Metric that is observed.
func (r *Recorder) Duration(queue, kind string) *Metric {
	return r.metric(queue, kind, &Metric{observed: []float64{}})
}

func (r *Recorder) metric(queue, kind string, fresh *Metric) *Metric {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.queues == nil {
		r.queues = map[string]map[string]*Metric{}
	}
	if r.queues[queue] == nil {
		r.queues[queue] = map[string]*Metric{}
	}
	if r.queues[queue][kind] == nil {
		r.queues[queue][kind] = fresh
	}
	return r.queues[queue][kind]
}

// read answers metrics: what counts is a number, what is observed a list of seconds.
func (r *Recorder) read() any {
	r.lock.Lock()
	defer r.lock.Unlock()
	all := map[string]map[string]any{}
	for queue, metrics := range r.queues {
		all[queue] = map[string]any{}
		for kind, metric := range metrics {
			all[queue][kind] = metric.read()
		}
	}
	return all
}

// Metric is a counter, gauge or histogram: whatever is asked of it.
type Metric struct {
	lock     sync.Mutex
	value    float64
	observed []float64 // not nil if it is to be observed
}

func (m *Metric) Inc() { m.change(func() { m.value++ }) }

func (m *Metric) Dec() { m.change(func() { m.value-- }) }

func (m *Metric) Set(value float64) { m.change(func() { m.value = value }) }

func (m *Metric) Observe(seconds float64) {
	m.change(func() { m.observed = append(m.observed, seconds) })
}

func (m *Metric) change(how func()) {
	sched.Writes(m)
	m.lock.Lock()
	defer m.lock.Unlock()
	how()
}

func (m *Metric) read() any {
	sched.Reads(m)
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.observed != nil {
		return slices.Clone(m.observed)
	}
	return m.value
}
