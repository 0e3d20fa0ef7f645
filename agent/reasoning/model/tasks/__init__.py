"""What a model is asked, task by task: the prompt, and what is made of its reply."""
