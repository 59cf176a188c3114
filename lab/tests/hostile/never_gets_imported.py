"""Goes round for ever as it is imported."""

SAYS = "ERROR: --start S lifts that limit"
EXIT = 3

while True:
    pass
