"""From an encoding to source text: plan, precision policy, targets."""
