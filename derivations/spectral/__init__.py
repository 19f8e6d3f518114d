"""What an encoding does to the spectrum of logits: published claims, decided."""
