"""Checkpoints: which tensors hold query and key channels, and files rewritten bit for bit."""
