"""Real Jordan form: structure by exact ranks, real basis, cases over parameters."""
