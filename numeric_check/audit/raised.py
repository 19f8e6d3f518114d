"""What a foreign exception says, on one line."""

from __future__ import annotations


def first_line(error: BaseException) -> str:
    """The first line of the message.

    >>> first_line(ValueError())
    'no message'
    """
    return (str(error).strip() or "no message").splitlines()[0]


def described(error: BaseException) -> str:
    """The class and the first line of the message.

    >>> described(ValueError("too long\\n  by 3"))
    'ValueError: too long'
    """
    return f"{type(error).__name__}: {first_line(error)}"
