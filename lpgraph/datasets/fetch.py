"""Verified files of data sets, from the user's folder, the cache or the source."""

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

#: Environment variable with the path of a folder that has one subfolder per data set.
FOLDER = "LPGRAPH_DATA"
_SECONDS = 60


def content_digest(content: bytes) -> str:
    """Return the SHA-256 of a text with normalised whitespace.

    Fields are separated by one space, lines end in one newline, and empty lines are dropped. So copies with other
    line ends or separators have the same digest.
    """
    lines = (b" ".join(line.split()) for line in content.splitlines())
    return hashlib.sha256(b"".join(line + b"\n" for line in lines if line)).hexdigest()


def sha256(content: bytes) -> str:
    """Return the SHA-256 of a binary file."""
    return hashlib.sha256(content).hexdigest()


@dataclass(frozen=True)
class Remote:
    """A file of a data set.

    Attributes
    ----------
    folder : str
        Folder of the data set inside `FOLDER`.
    names : sequence of str
        Possible names of the file.
    content : str
        Digest of the file, decompressed if its name ends in .gz.
    page : str
        Web page of the source.
    url : str or None
        Address of the download. None if no checksum of the download is known; then the file must be copied to
        the folder by hand.
    sha256 : str or None
        SHA-256 of the download.
    member : str or None
        Name of the file in a zip archive at the url.
    digest : callable
        Function that gives `content`: `content_digest` for texts, `sha256` for binary files.
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
            If the file is not found and cannot be downloaded, or fails the checksum.
        """
        root = os.environ.get(FOLDER)
        for name in self.names if root else ():
            path = Path(str(root)) / self.folder / name
            if path.is_file():
                content = _unpacked(path)
                if content is None or self.digest(content) != self.content:
                    raise DatasetError(
                        f"{path} has been modified or is another version; get the file from {self.page}."
                    )
                return content
        return self._fetch()

    def _fetch(self) -> bytes:
        by_hand = f"copy {self.names[0]} from {self.page} to {self.folder}/ in the folder named by {FOLDER}"
        if self.url is None:
            raise DatasetError(f"{self.names[0]} cannot be downloaded, since no checksum is known; {by_hand}.")
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
                f"The file from {self.url} does not have the expected checksum; {by_hand}."
            ) from None
        except requests.exceptions.RequestException as error:  # before OSError, its base class
            why = type(error).__name__
            raise DatasetError(
                f"{self.url} could not be downloaded ({why}); check the network, or {by_hand}."
            ) from None
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise DatasetError(
                f"The cache folder {folder} cannot be written ({why}); set XDG_CACHE_HOME to another folder, or "
                f"{by_hand}."
            ) from None
        content = Path(path).read_bytes()
        if self.member is None:
            return content
        with zipfile.ZipFile(path) as archive:
            return archive.read(self.member)


def _unpacked(path: Path) -> bytes | None:
    """Return a file's content, decompressed if its name ends in .gz; None if that fails."""
    content = path.read_bytes()
    if path.suffix != ".gz":
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error):
        return None
