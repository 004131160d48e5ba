"""What the loop asks of its surroundings in mid-run; bound in `apps/runs`."""

from typing import Protocol

from agents.records import Record


class Recorder(Protocol):
    """Takes the loop's records in order."""

    def emit(self, record: Record) -> None:
        """Hand over a record; never blocks. Readers see it now, or after `commit` if it has a row."""
        ...

    async def commit(self) -> None:
        """The write barrier: returns when everything emitted so far is in the database."""
        ...
