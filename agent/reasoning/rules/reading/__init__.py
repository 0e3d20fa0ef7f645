"""What one message says by itself, whatever was said before it."""
