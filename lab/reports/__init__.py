"""Pages and tables about real implementations and about bugs of real releases."""
