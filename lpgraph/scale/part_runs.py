"""Parts of a job, one after the other in this process, or on the workers of a Dask cluster."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar
from uuid import uuid4

from lpgraph._warnings import collected, warn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from distributed import Client, Future

    from lpgraph.scale.in_file import InFile

__all__ = ["Runs", "runs_of"]

Job = TypeVar("Job")
JobOf = TypeVar("JobOf", covariant=True)
Result = TypeVar("Result")


class Runs(Protocol[JobOf]):
    """Where the parts of a job are worked on."""

    def each(self, part: Callable[[JobOf, int], Result], numbers: Sequence[int]) -> Iterator[tuple[int, Result]]:
        """Yield a number and what a function makes of the job and the number, in any order."""


@contextmanager
def runs_of(job: Job, client: Client | None, folder: Path) -> Iterator[Runs[Job]]:
    """Yield where the parts of a job are worked on: in this process, or on the workers of a client.

    For workers, the job is pickled to a file of a folder. All of its parts are functions of the job and a number,
    and may be worked on twice, also at the same time: a worker may be thought to be gone and go on.
    """
    if client is None:
        yield _Here(job)
        return
    from lpgraph.scale.in_file import InFile

    path = folder / f"job-{uuid4().hex}"
    try:
        yield _OnWorkers(client, InFile.write(path, job))
    finally:
        with suppress(OSError):  # Windows deletes no file that a worker has open; the folder is deleted later
            path.unlink()


@dataclass(frozen=True, eq=False)
class _Here(Generic[Job]):
    """One part after the other."""

    job: Job

    def each(self, part: Callable[[Job, int], Result], numbers: Sequence[int]) -> Iterator[tuple[int, Result]]:
        """Yield what a function makes of the job and each number."""
        for k in numbers:
            yield k, part(self.job, k)


@dataclass(frozen=True, eq=False)
class _OnWorkers(Generic[Job]):
    """One task for each part, on any worker."""

    client: Client
    job: InFile[Job]

    def each(self, part: Callable[[Job, int], Result], numbers: Sequence[int]) -> Iterator[tuple[int, Result]]:
        """Yield what a function makes of the job and each number, as it is done."""
        from lpgraph.scale.dask_wait import results_as_done

        token = uuid4().hex
        # Each worker gets the reference once, and keeps what it reads by it as long as this future is there.
        job = self.client.submit(_same, self.job, key=f"lpgraph-job-{token}")
        tasks: dict[Future[tuple[Result, list[tuple[str, type[Warning]]]]], int] = {
            self.client.submit(_noted, part, job, k, key=f"lpgraph-{part.__name__}-{token}-{k}"): k
            for k in numbers
        }
        for future, (result, told) in results_as_done(self.client, list(tasks), token):
            for message, category in told:
                warn(message, category)
            yield tasks.pop(future), result


def _same(job: InFile[Job]) -> InFile[Job]:
    return job


def _noted(
    part: Callable[[Job, int], Result], job: InFile[Job], k: int
) -> tuple[Result, list[tuple[str, type[Warning]]]]:
    """Work on a part; return the result and the warnings."""
    with collected() as told:
        result = part(job.value, k)
    return result, told
