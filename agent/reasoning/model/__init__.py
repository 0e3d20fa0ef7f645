"""The reasoner that asks a model, at any endpoint that speaks OpenAI's chat completions.

Importing it imports `openai`, so the composition root does that only where a key or a base URL is set.
"""

from agent.reasoning.model.reasoner import ModelReasoner

__all__ = ["ModelReasoner"]
