"""Files of data sets: from the user's own folder, from the cache, or from their source; never unverified."""

from __future__ import annotations

import gzip
import hashlib
import os
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lpgraph._checks import import_extra
from lpgraph.errors import DatasetError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["FOLDER", "Remote", "content_digest", "sha256"]

#: The environment variable that names a folder with data sets, each in a folder of its own name.
FOLDER = "LPGRAPH_DATA"
_SECONDS = 60


def content_digest(content: bytes) -> str:
    """Return the sha256 of a text's fields: each line's, separated by one blank and ended by one newline.

    Copies of the same text differ in their line ends, in blanks or tabs between fields, and in empty lines; their
    content does not, and nor does this.
    """
    lines = (b" ".join(line.split()) for line in content.splitlines())
    return hashlib.sha256(b"".join(line + b"\n" for line in lines if line)).hexdigest()


def sha256(content: bytes) -> str:
    """Return the sha256 of a file of numbers, in which every byte counts."""
    return hashlib.sha256(content).hexdigest()


@dataclass(frozen=True)
class Remote:
    """A file of a data set.

    Attributes
    ----------
    folder : str
        Folder of the data set inside `FOLDER`.
    names : sequence of str
        Names the file goes by there.
    content : str
        Digest of the file, unpacked if its name ends in .gz.
    page : str
        Where a person finds it.
    url : str or None
        What is fetched; None where no checksum of what the source serves is known, so that the file must be put
        into the folder by hand.
    sha256 : str or None
        Of the bytes at the url.
    member : str or None
        The file inside a zip archive at the url.
    digest : callable
        What `content` is: `content_digest` of a text, `sha256` of a file of numbers.
    """

    folder: str
    names: Sequence[str]
    content: str
    page: str
    url: str | None = None
    sha256: str | None = None
    member: str | None = None
    digest: Callable[[bytes], str] = content_digest

    def read(self) -> bytes:
        """Return the file's content.

        Raises
        ------
        DatasetError
            If the file is nowhere and cannot be fetched, or is not what it should be.
        """
        root = os.environ.get(FOLDER)
        for name in self.names if root else ():
            path = Path(str(root)) / self.folder / name
            if path.is_file():
                content = _unpacked(path)
                if content is None or self.digest(content) != self.content:
                    raise DatasetError(
                        f"{path} was altered or is another version; take the file from {self.page}."
                    )
                return content
        return self._fetch()

    def _fetch(self) -> bytes:
        by_hand = (
            f"put {self.names[0]} from {self.page} into {self.folder}/ in a folder, and name that in {FOLDER}"
        )
        if self.url is None:
            raise DatasetError(f"{self.names[0]} is not fetched, for no checksum of it is known; {by_hand}.")
        pooch = import_extra("pooch", "data")
        requests = import_extra("requests", "data")
        pooch.get_logger().setLevel("WARNING")
        file, folder = f"{self.folder}-{self.url.rpartition('/')[2]}", pooch.os_cache("lpgraph")
        try:
            path = pooch.retrieve(
                self.url,
                known_hash=f"sha256:{self.sha256}",
                fname=file,
                path=folder,
                downloader=pooch.HTTPDownloader(timeout=_SECONDS),
            )
        except ValueError:
            raise DatasetError(
                f"What {self.url} sent does not have the pinned checksum: it was changed, there or on its way; "
                f"{by_hand}."
            ) from None
        except requests.exceptions.RequestException as error:  # an OSError too, and so the first to be asked for
            why = type(error).__name__
            raise DatasetError(
                f"{self.url} could not be fetched ({why}); check the network, or {by_hand}."
            ) from None
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise DatasetError(
                f"{folder} cannot be written ({why}), and what is fetched is kept there; name another folder in "
                f"XDG_CACHE_HOME, or {by_hand}."
            ) from None
        content = Path(path).read_bytes()
        if self.member is None:
            return content
        with zipfile.ZipFile(path) as archive:
            return archive.read(self.member)


def _unpacked(path: Path) -> bytes | None:
    """Return a file's content, unpacked if it is gzipped; None where that cannot be done."""
    content = path.read_bytes()
    if path.suffix != ".gz":
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error):
        return None
