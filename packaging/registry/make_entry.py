#!/usr/bin/env python3
"""Makes the entry of a Bazel registry for an archive: README.md explains it.

    make_entry.py ARCHIVE URL OUTPUT
"""

import base64
import hashlib
import json
import os
import re
import sys
import tarfile

HERE = os.path.dirname(os.path.abspath(__file__))


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def make_entry(archive, url, output):
    with open(archive, "rb") as file:
        digest = base64.b64encode(hashlib.sha256(file.read()).digest()).decode()
    with tarfile.open(archive) as files:
        root = files.getnames()[0].split("/")[0]
        module = files.extractfile(root + "/MODULE.bazel").read().decode()
    version = re.search(r'version = "([^"]+)"', module).group(1)
    folder = os.path.join(output, "modules/gprofhub", version)
    write(os.path.join(folder, "MODULE.bazel"), module)
    source = {"integrity": "sha256-" + digest, "strip_prefix": root, "url": url}
    write(os.path.join(folder, "source.json"), json.dumps(source, indent=4) + "\n")
    with open(os.path.join(HERE, "presubmit.yml"), encoding="utf-8") as file:
        write(os.path.join(folder, "presubmit.yml"), file.read())
    metadata = os.path.join(output, "modules/gprofhub/metadata.json")
    about = {"homepage": "", "maintainers": [], "repository": [], "versions": [], "yanked_versions": {}}
    if os.path.exists(metadata):
        with open(metadata, encoding="utf-8") as file:
            about = json.load(file)
    if version not in about["versions"]:
        about["versions"].append(version)
    write(metadata, json.dumps(about, indent=4) + "\n")
    return folder


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    print(make_entry(*sys.argv[1:]))
