"""Public reports about matrix exponentials and Jordan forms, as tests of the right value.

One module per theme. `owner/name#N` is https://github.com/owner/name/issues/N. Complex matrices
enter as their real form of twice the size.
"""
