"""What a generator can do to attention: families, growth, and what no generator does."""
