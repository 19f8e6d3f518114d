"""Blocks of every length, and what is built of them."""
