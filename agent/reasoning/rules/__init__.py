"""General rules over the pack's data: deterministic, English and Korean, no model."""

from agent.reasoning.rules.reasoner import OfflineReasoner

__all__ = ["OfflineReasoner"]
