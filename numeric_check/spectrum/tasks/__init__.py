"""A position-sensitive and a position-agnostic task with known ceilings, and models on them."""
