"""Models and embeddings as the settings name them, what they cost, and the vectors kept up to date."""
