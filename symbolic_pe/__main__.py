"""`python -m symbolic_pe` is the command `symbolic-pe`."""

from symbolic_pe.cli.main import main

if __name__ == "__main__":
    main()
