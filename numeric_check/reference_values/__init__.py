"""What a right kernel returns: exponentials in balls and to 106 bits, with their tolerances."""
