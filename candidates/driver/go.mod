module stingy.invalid/candidates/driver

go 1.26.0
