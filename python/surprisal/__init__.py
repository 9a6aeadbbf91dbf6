"""Models of lm-evaluation-harness and OpenCompass that the program `surprisal` answers.

`surprisal.lm_eval` is for the one, `surprisal.opencompass` for the other; neither is imported from here, so that neither has to be
installed for the sake of the other. What both stand on is `surprisal.program`, which runs the program.
"""

__version__ = "0.1.0"
