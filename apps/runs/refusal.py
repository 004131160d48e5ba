"""A question that is not accepted."""


class RunRefused(Exception):  # noqa: N818 -- it says what happened to the question
    """Nothing was changed. `status` is the HTTP status an entry answers with."""

    def __init__(self, code: str, message: str, status: int) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
