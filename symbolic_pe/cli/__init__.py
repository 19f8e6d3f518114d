"""The command line: the only place that sees every package."""
