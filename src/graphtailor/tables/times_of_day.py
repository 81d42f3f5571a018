"""Times of the day, as hours."""

from __future__ import annotations

import numpy as np
import pandas as pd

# In the place of a format of dates: the column holds times without a day.
CLOCK = "clock"
_TIME = (
    r"(?P<h>[01]?[0-9]|2[0-3]):(?P<m>[0-5][0-9])(?::(?P<s>[0-5][0-9](?:\.[0-9]+)?))?"
)
_MOSTLY = 0.95


def are_clock_times(found: pd.Series) -> bool:
    """Whether nearly all of some distinct texts are times of the day.

    Examples
    --------
    >>> import pandas as pd
    >>> are_clock_times(pd.Series(["8:05", "23:59:30"]))
    True
    >>> are_clock_times(pd.Series(["8:05", "75:30"]))
    False
    """
    return len(found) > 0 and bool(found.str.fullmatch(_TIME).mean() >= _MOSTLY)


def hours(column: pd.Series) -> np.ndarray:
    """Hours since midnight, with fractions; NaN where there is no time.

    Examples
    --------
    >>> import pandas as pd
    >>> hours(pd.Series(["8:30", "23:15:36", None, "noon"]))
    array([ 8.5 , 23.26,   nan,   nan])
    """
    codes, texts = pd.factorize(column.astype("str").str.strip())
    parts = pd.Series(texts, dtype="str").str.extract(rf"^{_TIME}$")
    h, m, s = (parts[part].to_numpy(np.float64, na_value=np.nan) for part in "hms")
    found = h + m / 60 + np.where(np.isnan(s), 0.0, s) / 3600
    return np.append(found, np.nan)[codes]
