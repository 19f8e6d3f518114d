"""`python -m symbolic_pe` is the command `symbolic-pe`."""

from symbolic_pe.cli.main import cli

if __name__ == "__main__":
    cli(prog_name="symbolic-pe")
