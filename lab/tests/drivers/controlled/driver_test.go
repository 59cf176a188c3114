// Package controlled is a driver for a small queue with one fault or none.
package controlled

import (
	"flag"
	"testing"

	"stingy.invalid/driver"
	"stingy.invalid/tests/controlled/queue"
)

var (
	fault = flag.String("fault", "", "what is wrong with the queue")
	apart = flag.Bool("apart", false, "each candidate has a bubble of its own, as where a clock can be set")
)

func TestMain(m *testing.M) { driver.Main(m) }

func TestDriver(t *testing.T) {
	var passive []string
	if *apart {
		passive = []string{"none of these"}
	}
	driver.Serve(t, &driver.Driver{
		Name: "controlled", Module: "stingy.invalid/tests/controlled", Sample: queue.New, Ops: driver.Queue,
		Impls: map[string]func(driver.Options) driver.Candidate{"work_queue": func(driver.Options) driver.Candidate {
			switch *fault {
			case "mixed":
				made := queue.NewMixed()
				return driver.Candidate{Parts: []any{made}, End: made.ShutDown}
			case "selects":
				return driver.Candidate{Parts: []any{queue.NewSelecting()}, End: func() {}}
			case "waits in a select":
				made := queue.NewBelled()
				return driver.Candidate{Parts: []any{made}, End: made.ShutDown}
			case "hands over":
				return driver.Candidate{Parts: []any{queue.NewHanding()}, End: func() {}}
			}
			made := queue.New(*fault)
			return driver.Candidate{Parts: []any{made}, End: made.ShutDown}
		}},
		Passive: passive,
	})
}
