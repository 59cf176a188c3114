"""Controllers that do the wrong thing with a key."""
