"""Candidates' threads under control: one runs at a time, in virtual time, in a chosen order."""
