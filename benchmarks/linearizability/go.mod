module stingy.invalid/benchmarks/linearizability

go 1.26

require github.com/anishathalye/porcupine v1.0.3
