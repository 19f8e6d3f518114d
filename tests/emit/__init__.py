"""Tests of emitted code."""
