"""What a model is asked, besides the rules: `Reasoner` without what no model is told."""

from typing import Protocol

from agent.reasoning.analysis_contract import Analysing
from agent.reasoning.contract import Grading, Model
from agent.reasoning.document_contract import Drafting


class Assistant(Model, Grading, Drafting, Analysing, Protocol):
    """A model. Every call raises ModelError where it has no usable result."""
