"""From a message to the steps of its answer and the searches of each step."""
