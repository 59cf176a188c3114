package driver

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Replay says to the driver in this very program what was said to one when a rule was broken, in the order that broke it. The
// test fails if that goes the same way again; if it goes another way, it passes, whatever that way is worth: to judge it is
// for stingy. Conversation is what "stingy replay --export go" writes, requests and answers by driver protocol 1. The driver
// is a process of its own, which the candidate may end or keep for ever.
func Replay(t *testing.T, why, conversation string) {
	t.Helper()
	var said []json.RawMessage
	if err := json.Unmarshal([]byte(conversation), &said); err != nil {
		t.Fatal("the conversation is no list of what was said: ", err)
	}
	talk, err := begin()
	if err != nil {
		t.Fatal("the driver does not start: ", err)
	}
	defer talk.end()
	if lack := talk.lack(); lack != "" {
		t.Skip(lack)
	}
	switch otherwise, err := talk.repeat(said); {
	case err != nil:
		t.Fatal(err)
	case otherwise != "":
		t.Log("it is not broken in this way any more: ", otherwise)
	default:
		t.Fatal(why)
	}
}

// A talk is with a driver in another process.
type talk struct {
	driver  *exec.Cmd
	asks    io.WriteCloser
	answers *bufio.Scanner
	heard   []message
}

// A message is a request, or an answer.
type message struct {
	ID    int64      `json:"id"`
	Op    string     `json:"op"`
	OK    bool       `json:"ok"`
	Val   any        `json:"val"`
	Error *errorKind `json:"error"`

	line json.RawMessage
}

type errorKind struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
}

func begin() (*talk, error) {
	itself, err := os.Executable()
	if err != nil {
		return nil, err
	}
	words := slices.DeleteFunc(slices.Clone(os.Args[1:]), func(word string) bool { return strings.HasPrefix(word, "-test.") })
	t := &talk{driver: exec.Command(itself, append([]string{"-test.run=^TestDriver$"}, words...)...)}
	t.driver.Stderr = os.Stderr
	if t.asks, err = t.driver.StdinPipe(); err != nil {
		return nil, err
	}
	answers, err := t.driver.StdoutPipe()
	if err != nil {
		return nil, err
	}
	t.answers = bufio.NewScanner(answers)
	t.answers.Buffer(nil, 8<<20)
	return t, t.driver.Start()
}

func (t *talk) end() {
	t.asks.Close()
	t.driver.Process.Kill()
	t.driver.Wait()
}

// lack is why the order cannot be chosen; nothing if it can.
func (t *talk) lack() string {
	if err := t.ask(json.RawMessage(`{"id": 0, "op": "hello", "protocol": 1}`)); err != nil {
		return err.Error()
	}
	var hello struct{ Val identity }
	if err := json.Unmarshal(t.heard[0].line, &hello); err != nil {
		return err.Error()
	}
	t.heard = nil
	if hello.Val.Capabilities.Schedules == nil {
		return "nothing is under control here: go run stingy.invalid/driver/control -o driver PACKAGE… && ./driver -test.skip='^TestDriver$'"
	}
	return ""
}

// repeat says everything again, until it goes otherwise; the first that does.
func (t *talk) repeat(said []json.RawMessage) (otherwise string, err error) {
	for _, line := range said {
		m, err := parse(line)
		switch {
		case err != nil:
			return "", err
		case m.Op == "" && len(t.heard) == 0:
			return fmt.Sprintf("%s is not answered now", line), nil
		case m.Op == "" && !m.isSame(t.heard[0]):
			return fmt.Sprintf("%s is answered now", t.heard[0].line), nil
		case m.Op == "":
			t.heard = t.heard[1:]
		case len(t.heard) > 0:
			return fmt.Sprintf("%s is answered here already", t.heard[0].line), nil
		default:
			if err := t.ask(line); err != nil {
				return "", err
			}
		}
	}
	if len(t.heard) > 0 {
		return fmt.Sprintf("%s is answered in the end", t.heard[0].line), nil
	}
	return "", nil
}

// settling is the id of a request to settle, which is no part of what was said.
const settling = -1

// ask says something, and hears what is answered until nothing moves any more.
func (t *talk) ask(line json.RawMessage) error {
	flat, err := flatten(line)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(t.asks, "%s\n{\"id\": %d, \"op\": \"settle\"}\n", flat, settling); err != nil {
		return fmt.Errorf("the driver has ended: %w", err)
	}
	for t.answers.Scan() {
		m, err := parse(slices.Clone(t.answers.Bytes()))
		switch {
		case err != nil:
			return err
		case m.Error != nil && m.Error.Kind == "uncontrolled":
			return fmt.Errorf("the candidate cannot be followed: %s", m.Error.Text)
		case m.ID == settling:
			return nil
		case !m.isReading():
			t.heard = append(t.heard, m)
		}
	}
	return fmt.Errorf("the driver has ended when it was to answer %s", flat)
}

func parse(line json.RawMessage) (m message, err error) {
	m.line = line
	return m, json.Unmarshal(line, &m)
}

// flatten is the same on one line.
func flatten(line json.RawMessage) ([]byte, error) {
	var any any
	if err := json.Unmarshal(line, &any); err != nil {
		return nil, err
	}
	return json.Marshal(any)
}

// isReading is whether it tells a reading of the clock, and nothing else.
func (m message) isReading() bool {
	val, ok := m.Val.(map[string]any)
	_, reads := val["now_ns"]
	_, counts := val["steps"]
	return ok && reads && (len(val) == 1 || counts && len(val) == 2)
}

// isSame is whether the other one answers the same request in the same way.
func (m message) isSame(other message) bool {
	if m.ID != other.ID || m.OK != other.OK {
		return false
	}
	if !m.OK {
		return m.Error.Kind == other.Error.Kind
	}
	mine, is := historyIn(m)
	if !is {
		return reflect.DeepEqual(m.Val, other.Val)
	}
	theirs, is := historyIn(other)
	return is && slices.Equal(mine.waiting, theirs.waiting) && theirs.covers(mine)
}

// told is what a burst has come to.
type told struct {
	calls   []toldCall // by lane
	waiting []string
}

type toldCall struct {
	Lane  string     `json:"lane"`
	Op    string     `json:"op"`
	Item  *string    `json:"item"`
	Val   any        `json:"val"`
	Error *errorKind `json:"error"`
	Start int64      `json:"start"`
	End   *int64     `json:"end"`
}

func historyIn(m message) (told, bool) {
	var said struct {
		Val struct {
			Calls   []toldCall `json:"calls"`
			Waiting []any      `json:"waiting"`
		}
	}
	if json.Unmarshal(m.line, &said) != nil || said.Val.Calls == nil {
		return told{}, false
	}
	slices.SortStableFunc(said.Val.Calls, func(a, b toldCall) int {
		return cmp.Or(cmp.Compare(a.Lane, b.Lane), cmp.Compare(a.Start, b.Start))
	})
	names := map[string]bool{}
	for _, each := range said.Val.Waiting {
		if waits, ok := each.(map[string]any); ok {
			each = waits["who"]
		}
		names[fmt.Sprint(each)] = true
	}
	return told{said.Val.Calls, slices.Sorted(maps.Keys(names))}, true
}

// covers is whether its calls have come to the same as those of the other one, and all that is ordered there is so here.
func (h told) covers(other told) bool {
	if !slices.EqualFunc(h.calls, other.calls, toldCall.isSame) {
		return false
	}
	for i, a := range other.calls {
		for j, b := range other.calls {
			if a.isBefore(b) && !h.calls[i].isBefore(h.calls[j]) {
				return false
			}
		}
	}
	return true
}

func (c toldCall) isBefore(later toldCall) bool { return c.End != nil && *c.End < later.Start }

func (c toldCall) isSame(other toldCall) bool {
	kind := func(e *errorKind) string {
		if e == nil {
			return ""
		}
		return e.Kind
	}
	return c.Lane == other.Lane && c.Op == other.Op && reflect.DeepEqual(c.Item, other.Item) &&
		reflect.DeepEqual(c.Val, other.Val) && kind(c.Error) == kind(other.Error) && (c.End == nil) == (other.End == nil)
}
