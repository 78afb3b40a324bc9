"""Packs folders of inputs as the corpora of fuzz targets: NAME/ becomes NAME.zip.

    python3 tests/fuzz/pack_corpus.py tests/fuzz/corpus/gmon_reader

The same inputs give the same archive.
"""

import pathlib
import sys
import zipfile


def pack(folder: pathlib.Path) -> None:
    with zipfile.ZipFile(f"{folder}.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(folder.iterdir()):
            entry = zipfile.ZipInfo(path.name)  # of 1980
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, path.read_bytes())


for argument in sys.argv[1:]:
    pack(pathlib.Path(argument))
