"""From the axioms of a relative score to one generator."""
