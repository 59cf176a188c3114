module stingy.invalid/candidates/echoryn

go 1.26.0

require (
	github.com/kiosk404/echoryn v0.2.0
	stingy.invalid/candidates/driver v0.0.0
)

replace stingy.invalid/candidates/driver => ../driver
