"""Stand-ins for programs that the tests do not run for real."""
