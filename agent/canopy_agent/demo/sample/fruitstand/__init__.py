"""The till of a small fruit stand."""
