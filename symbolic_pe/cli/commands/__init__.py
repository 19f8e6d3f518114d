"""The commands: what is asked for, and what is printed; the work is done in the other rooms."""
