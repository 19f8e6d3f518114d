"""The text proof: emitted texts executed on exact ring elements, and what they return decided."""
