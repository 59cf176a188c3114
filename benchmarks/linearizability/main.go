// Judges histories of a work queue with porcupine: lines of JSON on standard input, one history a line; and how long it took.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

type call struct {
	Lane   int    `json:"lane"`
	Op     string `json:"op"`
	Item   string `json:"item"`
	Result string `json:"result"`
	Len    int    `json:"len"`
	Start  int64  `json:"start"`
	End    int64  `json:"end"`
}

// state is what a work queue holds; no slice of it is ever changed.
type state struct {
	queue, processing, owed []string
}

var model = porcupine.Model{
	Init: func() any { return state{} },
	Step: func(now, input, _ any) (bool, any) {
		s, it := now.(state), input.(call)
		switch it.Op {
		case "add":
			switch {
			case slices.Contains(s.queue, it.Item) || slices.Contains(s.owed, it.Item):
			case slices.Contains(s.processing, it.Item):
				s.owed = with(s.owed, it.Item)
			default:
				s.queue = append(slices.Clip(s.queue), it.Item)
			}
			return true, s
		case "get":
			if len(s.queue) == 0 || s.queue[0] != it.Result {
				return false, s
			}
			return true, state{s.queue[1:], with(s.processing, it.Result), s.owed}
		case "done":
			if slices.Contains(s.owed, it.Item) {
				s.queue = append(slices.Clip(s.queue), it.Item)
			}
			return true, state{s.queue, without(s.processing, it.Item), without(s.owed, it.Item)}
		case "len":
			return len(s.queue) == it.Len, s
		}
		panic(it.Op)
	},
	Equal: func(a, b any) bool {
		one, other := a.(state), b.(state)
		return slices.Equal(one.queue, other.queue) && slices.Equal(one.processing, other.processing) && slices.Equal(one.owed, other.owed)
	},
}

// with and without keep a set as a list in order.
func with(set []string, item string) []string {
	at, _ := slices.BinarySearch(set, item)
	return slices.Insert(slices.Clone(set), at, item)
}

func without(set []string, item string) []string {
	return slices.DeleteFunc(slices.Clone(set), func(other string) bool { return other == item })
}

func main() {
	var histories [][]porcupine.Operation
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var calls []call
		if err := json.Unmarshal(lines.Bytes(), &calls); err != nil {
			log.Fatal(err)
		}
		var history []porcupine.Operation
		for _, it := range calls {
			history = append(history, porcupine.Operation{ClientId: it.Lane, Input: it, Call: it.Start, Return: it.End})
		}
		histories = append(histories, history)
	}
	explained := make([]bool, len(histories))
	began := time.Now()
	for n, history := range histories {
		explained[n] = porcupine.CheckOperations(model, history)
	}
	took := time.Since(began).Seconds()
	if err := json.NewEncoder(os.Stdout).Encode(map[string]any{"seconds": took, "explained": explained}); err != nil {
		log.Fatal(fmt.Errorf("nobody listens: %w", err))
	}
}
