"""Integer positions, timestamps and learned clocks."""
