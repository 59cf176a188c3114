package driver

// Queues are the impls of one queue: what it is to be made as follows from the ops that it has. Each is made by the same
// function, which heeds what the options ask for.
func (ops Ops) Queues(made func(Options) Candidate) map[string]func(Options) Candidate {
	impls := map[string]func(Options) Candidate{"work_queue": made}
	for op, impl := range map[string]string{
		"add_after":        "delaying_queue",
		"add_rate_limited": "rate_limiting_queue",
		"add_with_opts":    "priority_queue",
	} {
		if _, ok := ops[op]; ok {
			impls[impl] = made
		}
	}
	return impls
}
