module stingy.invalid/candidates/echoryn

go 1.26.0

require (
	github.com/kiosk404/echoryn v0.2.0
	stingy.invalid/driver v0.0.0
)

replace stingy.invalid/driver => ../../spec/stingy/starters/go/stingy
