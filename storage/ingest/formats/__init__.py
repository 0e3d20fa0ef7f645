"""One file per format; each turns bytes into an `Extracted` text with its elements."""
