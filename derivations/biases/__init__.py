"""Which biases of the lag a group can carry: exponential polynomials, and no others."""
