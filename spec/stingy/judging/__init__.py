"""How a verdict is reached: a rule, a candidate, and what may come between them."""
