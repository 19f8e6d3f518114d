"""The families of the catalogue, one module each."""
