module stingy.invalid/driver

go 1.26.0
