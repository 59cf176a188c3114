package driver

import (
	"reflect"
	"testing"
)

func TestARecorderTellsWhatWasAskedForAndNothingElse(t *testing.T) {
	r := &Recorder{}
	if told := r.read(); !reflect.DeepEqual(told, map[string]map[string]any{}) {
		t.Error("before anything was asked for it tells ", told)
	}
	depth := r.Metric("q", "depth")
	depth.Inc()
	depth.Inc()
	depth.Dec()
	r.Metric("q", "longest").Set(2.5)
	r.Metric("other", "depth").Dec()
	r.Duration("q", "unused")
	r.Duration("q", "waited").Observe(3)
	r.Duration("q", "waited").Observe(1)
	told := r.read()
	if want := (map[string]map[string]any{
		"q":     {"depth": 1.0, "longest": 2.5, "unused": []float64{}, "waited": []float64{3, 1}},
		"other": {"depth": -1.0},
	}); !reflect.DeepEqual(told, want) {
		t.Errorf("it tells %v", told)
	}
	if r.Duration("q", "waited").Observe(5); len(told.(map[string]map[string]any)["q"]["waited"].([]float64)) != 2 {
		t.Error("what has been told changes afterwards")
	}
}
