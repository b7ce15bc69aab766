"""What entries of a transcript look like, one module per kind of block."""
