"""A judge that others can check."""
