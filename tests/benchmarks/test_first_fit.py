from types import SimpleNamespace

import pytest

from first_fit import kernels_of


def outer():
    pass


def inner():
    pass


def event(function, *, start):
    data = {"dispatcher": SimpleNamespace(py_func=function)}
    return SimpleNamespace(is_start=start, data=data)


def test_time_of_inner_functions_is_not_the_outer_ones_own():
    events = [
        (0.0, event(outer, start=True)),
        (1.0, event(inner, start=True)),
        (4.0, event(inner, start=False)),
        (5.0, event(outer, start=False)),
        (6.0, event(inner, start=True)),
        (6.5, event(inner, start=False)),
    ]
    first, second = kernels_of(events)
    assert first.name.endswith("outer")
    assert (first.seconds, first.total, first.count) == (2.0, 5.0, 1)
    assert second.name.endswith("inner")
    assert second.seconds == pytest.approx(3.5)
    assert second.count == 2
