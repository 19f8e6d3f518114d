"""A second opinion on rounding bounds, from Gappa: the operations of a text as a script.

What a text does to its input is traced while it runs on the same arrays as for the bound. Tables of
the position are hypotheses: how far each is from the exact function is taken from the bound's own
model, everything after it is Gappa's to decide.
"""

from numeric_check.rounding.gappa.opinion import Opinion, second_opinion
from numeric_check.rounding.gappa.program import is_installed, prove
from numeric_check.rounding.gappa.script import Script, scripts

__all__ = ["Opinion", "Script", "is_installed", "prove", "scripts", "second_opinion"]
