"""Claims, the prover, certificates, and the independent checker."""
