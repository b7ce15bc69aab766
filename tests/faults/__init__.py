"""Faults that users of such software reported, each kept out by a test named after its entry."""
