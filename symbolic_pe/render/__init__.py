"""Decided mathematics as pages."""
