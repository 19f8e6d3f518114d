"""Constant coordinates: additive biases as groups, all solutions, and how few suffice."""
