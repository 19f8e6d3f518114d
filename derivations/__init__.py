"""The mathematics as executable derivations: one file a statement, each with its negative twin."""
