"""What the commands for documents, collections, channels and searches do."""
