package driver

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"stingy.invalid/driver/sched"
)

func TestMain(m *testing.M) { Main(m) }

// served are candidates of this file's own; TestDriver is the driver that the tests talk to, in a process of its own.
var served = Driver{
	Name: "candidates of its own",
	Ops: Ops{
		"began":  On(func(c *clocked, _ Request) any { return c.began.UnixNano() }),
		"passed": On(func(c *clocked, _ Request) any { return sched.Since(c.began).Nanoseconds() }),
	},
	Impls:   map[string]func(Options) Candidate{"proxy": newClocked},
	Passive: []string{"proxy"},
}

func TestDriver(t *testing.T) { Serve(t, &served) }

// clocked has noted when it was made.
type clocked struct{ began time.Time }

func newClocked(Options) Candidate {
	return Candidate{Parts: []any{&clocked{sched.Now()}}, End: func() {}}
}

// asked is a driver that is asked line by line.
type asked struct {
	t       *testing.T
	lines   io.Writer
	answers *bufio.Scanner
	ids     int
}

func ask(t *testing.T) *asked {
	t.Helper()
	driver := exec.Command(os.Args[0], "-test.run=^TestDriver$")
	driver.Stderr = os.Stderr
	lines, err := driver.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	answers, err := driver.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := driver.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		lines.Close()
		if err := driver.Wait(); err != nil {
			t.Error("the driver ends with ", err)
		}
	})
	return &asked{t: t, lines: lines, answers: bufio.NewScanner(answers)}
}

// asks for an op with these keys, and tells what is answered.
func (a *asked) asks(op, keys string, val any) *errorKind {
	a.t.Helper()
	a.ids++
	if keys != "" {
		keys = ", " + keys
	}
	fmt.Fprintf(a.lines, "{\"id\": %d, \"op\": %q%s}\n", a.ids, op, keys)
	if !a.answers.Scan() {
		a.t.Fatalf("%s is not answered", op)
	}
	answer := struct {
		ID    int
		OK    bool
		Val   any
		Error *errorKind
	}{Val: val}
	if err := json.Unmarshal(a.answers.Bytes(), &answer); err != nil || answer.ID != a.ids || answer.OK != (answer.Error == nil) {
		a.t.Fatalf("%s is answered with %s", op, a.answers.Bytes())
	}
	return answer.Error
}

// ns is the reading, or the number of nanoseconds, that is answered.
func (a *asked) ns(op, keys string) (ns int64) {
	a.t.Helper()
	var val json.RawMessage
	if bad := a.asks(op, keys, &val); bad != nil {
		a.t.Fatalf("%s is refused: %s", op, bad.Text)
	}
	var reading struct {
		NowNS *int64 `json:"now_ns"`
	}
	if json.Unmarshal(val, &reading) == nil && reading.NowNS != nil {
		return *reading.NowNS
	}
	if err := json.Unmarshal(val, &ns); err != nil {
		a.t.Fatal(err)
	}
	return ns
}

const lane = `"lane": "w1"`

func TestNoCandidateBeginsOnAWholeSecondOrWhereTheOneBeforeBegan(t *testing.T) {
	driver, seen := ask(t), map[int64]bool{}
	if first := driver.ns("settle", ""); first%int64(time.Second) == 0 {
		t.Errorf("the first clock shows %d", first)
	}
	for range 3 {
		told := driver.ns("new", `"impl": "proxy", "options": {}`)
		if began := driver.ns("began", lane); began != told || seen[began] {
			t.Errorf("it began at %d, and is said to have begun at %d; those before: %v", began, told, seen)
		}
		if told%int64(time.Microsecond) == 0 {
			t.Errorf("%d is a round reading", told)
		}
		seen[told] = true
	}
}

func TestAStepSetsTheWallClockAlone(t *testing.T) {
	driver := ask(t)
	for _, by := range []time.Duration{time.Hour, -2 * time.Hour, 1} {
		began := driver.ns("new", `"impl": "proxy", "options": {}`)
		driver.ns("advance", fmt.Sprint(`"ns": `, int64(3*time.Second)))
		set := driver.ns("step", fmt.Sprint(`"ns": `, int64(by)))
		if moved := time.Duration(set - began); moved != by+3*time.Second {
			t.Errorf("set by %v after 3 s, the wall clock has moved by %v", by, moved)
		}
		if passed := time.Duration(driver.ns("passed", lane)); passed != 3*time.Second {
			t.Errorf("set by %v after 3 s, the monotonic clock has moved by %v", by, passed)
		}
	}
}
