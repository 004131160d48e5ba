"""The end of a run by a fault that has a name."""


class RunFailed(Exception):  # noqa: N818 -- it says what happened to the run
    """The run cannot go on; `code` and `message` become its error."""

    def __init__(self, code: str, message: str, *, is_retryable: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.is_retryable = is_retryable
