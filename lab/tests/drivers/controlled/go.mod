module stingy.invalid/tests/controlled

go 1.26.0

require stingy.invalid/driver v0.0.0

replace stingy.invalid/driver => ../../../../spec/stingy/starters/go/stingy
