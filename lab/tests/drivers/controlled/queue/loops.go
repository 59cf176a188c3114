package queue

// looksBack is how often a long computation goes round: a second's work for a slow machine.
const looksBack = 300_000_000

// ponders is what ShuttingDown does, with a fault, before it answers.
func (q *Queue) ponders() {
	switch q.fault {
	case "waits in a loop":
		for !q.shuttingDown {
		}
	case "computes for long":
		for n := range looksBack {
			if n < 0 {
				q.queue = nil
			}
		}
	}
}
