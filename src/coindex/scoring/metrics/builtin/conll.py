"""The CoNLL average (Pradhan et al. 2011): the mean F1 of MUC, B³ and CEAFe."""

from __future__ import annotations

TITLE = "CoNLL"
ORDER = 80
ALIASES = ()
AVERAGE_OF = ("muc", "b3", "ceafe")
IN_ALL = True
IN_RANKINGS = True
