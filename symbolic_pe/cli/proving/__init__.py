"""`symbolic-pe prove`: one specification or thousands, decided once and remembered."""
