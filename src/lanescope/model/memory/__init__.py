"""Memory models: `MemoryModel(name, timing, …).build()` makes a memory that charges accesses."""

from lanescope.model.memory.access import Access, Charge, Piece
from lanescope.model.memory.models import MODELS, MemoryModel
from lanescope.model.memory.policies import POLICIES
from lanescope.model.memory.regime import choose_regime
from lanescope.model.memory.statistics import Statistics
from lanescope.model.memory.system import MemorySystem

__all__ = [
    "MODELS",
    "POLICIES",
    "Access",
    "Charge",
    "MemoryModel",
    "MemorySystem",
    "Piece",
    "Statistics",
    "choose_regime",
]
