module stingy.invalid/sample

go 1.26.0

require stingy.invalid/driver v0.0.0

replace stingy.invalid/driver => ../..

require stingy.invalid/old v0.0.0

replace stingy.invalid/old => ./old
