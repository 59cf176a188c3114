module stingy.invalid/old

go 1.15
