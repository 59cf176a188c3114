module stingy.invalid/tests/controlled

go 1.26.0

require stingy.invalid/candidates/driver v0.0.0

replace stingy.invalid/candidates/driver => ../../../candidates/driver
