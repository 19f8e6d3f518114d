"""When a changed text is the same kernel: decided, each time for a reason that is named."""
