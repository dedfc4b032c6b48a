"""Check the contents of a built sdist and wheel: `python .ci/contents.py DIST`."""

import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = {path.relative_to(ROOT).as_posix() for path in (ROOT / "lpgraph").rglob("*") if path.is_file()}
PACKAGE = {name for name in PACKAGE if "__pycache__" not in name}
#: Files of the sdist that are not in the wheel: the tests can be run from it.
SOURCES = {
    "README.md",
    "CHANGELOG.md",
    "LICENSE",
    "SECURITY.md",
    "CITATION.cff",
    "conftest.py",
    "tests/test_names.py",
    "PKG-INFO",
}
#: Endings and folders of files that a build must not contain.
REFUSED = (".pyc", ".nbi", ".nbc", ".lpg", "__pycache__", ".pytest_cache", "docs/_build", "docs/generated")


def check(found: set[str], expected: set[str], name: str) -> None:
    """Exit with a message if a file is missing, or should not be there."""
    missing = sorted(expected - found)
    unwanted = (path for path in found if not path.startswith("tests/fuzz/corpus/"))
    refused = sorted(path for path in unwanted if any(part in path for part in REFUSED))
    if missing or refused:
        sys.exit(f"{name}: missing {missing}, not wanted {refused}")
    print(f"{name}: {len(found)} files")


def main(dist: Path) -> None:
    """Check the only wheel and the only sdist of a folder."""
    (wheel,), (sdist,) = list(dist.glob("*.whl")), list(dist.glob("*.tar.gz"))
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    inside = {name for name in names if ".dist-info/" not in name}
    if inside - PACKAGE:
        sys.exit(f"{wheel.name}: not files of the package: {sorted(inside - PACKAGE)}")
    licences = {name for name in names if name.endswith(".dist-info/licenses/LICENSE")}
    check(names, PACKAGE | (licences or {"LICENSE"}), wheel.name)
    with tarfile.open(sdist) as archive:
        files = {name.partition("/")[2] for name in archive.getnames()}
    others = {
        "README.md",
        "CHANGELOG.md",
        "LICENSE",
        "SECURITY.md",
        "CITATION.cff",
        "conftest.py",
        "tests/test_names.py",
        "PKG-INFO",
    }
    check(files, PACKAGE | others, sdist.name)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
