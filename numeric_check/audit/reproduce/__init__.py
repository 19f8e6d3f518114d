"""One line for a shell that shows what a finding says, calling the subject and nothing of ours.

Where the subject has no import line of its own (an adapter, a known package), the line asks the
audit for it by name. Everything in a line is spelled out: shapes, positions, dtypes.
"""
