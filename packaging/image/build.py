"""Makes the server's image as an archive of the OCI's layout, without any program that builds images.

    build.py OUTPUT VERSION GPROFHUB COMMANDS

Two layers: libraries, certificates and users; then the programs. There is no distribution in it, and no
shell. Sources: https://github.com/opencontainers/image-spec/blob/v1.0.2/spec.md
"""

import datetime
import glob
import gzip
import hashlib
import io
import json
import os
import sys

import libraries
import stripped
import tree

USER = 10001
DATA = "var/lib/gprofhub"
SECOND = 1000000000  # in nanoseconds

# Of Debian's package, not what this machine trusts besides.
AUTHORITIES = "/usr/share/ca-certificates/mozilla/*.crt"

ETC = {
    "passwd": "root:x:0:0:root:/:/usr/bin/gprofhub\ngprofhub:x:%d:%d:gprofhub:/%s:/usr/bin/gprofhub\n"
    % (USER, USER, DATA),
    "group": "root:x:0:\ngprofhub:x:%d:\n" % USER,
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
}


def authorities():
    paths = sorted(glob.glob(AUTHORITIES))
    if not paths:
        raise RuntimeError("no certificates in %s: install ca-certificates" % AUTHORITIES)
    texts = []
    for path in paths:
        with open(path, "rb") as file:
            texts.append(file.read().rstrip(b"\n") + b"\n")
    return b"".join(texts)


def system_layer(commands):
    made = tree.Tree()
    found = libraries.libraries_of(os.path.abspath(commands))
    for name, path in found.items():
        made.add_file_of("usr/lib/x86_64-linux-gnu/" + name, path)
    made.add_file_of(libraries.LOADER.lstrip("/"), libraries.LOADER, 0o755)
    for name, text in ETC.items():
        made.add_file("etc/" + name, text.encode())
    made.add_file("etc/ssl/certs/ca-certificates.crt", authorities())
    made.add_folder("tmp", 0o1777)
    made.add_folder(DATA, 0o700, USER)
    libraries.add_licenses(
        made, "usr/share/doc/gprofhub", list(found.values()) + [libraries.LOADER, "/usr/share/ca-certificates/mozilla"]
    )
    return made


def program_layer(gprofhub, commands):
    made = tree.Tree()
    made.add_file("usr/bin/gprofhub", stripped.stripped(gprofhub), 0o755)
    made.add_file("usr/libexec/gprofhub/gprofhub_commands", stripped.stripped(commands), 0o755)
    return made


class Layout:
    """The files of an image in the OCI's layout."""

    def __init__(self):
        self.files = tree.Tree()

    def add_blob(self, data, kind):
        """What refers to it."""
        digest = hashlib.sha256(data).hexdigest()
        self.files.add_file("blobs/sha256/" + digest, data)
        return {
            "mediaType": "application/vnd.oci.image." + kind,
            "digest": "sha256:" + digest,
            "size": len(data),
        }

    def add_json(self, value, kind):
        return self.add_blob(json.dumps(value, sort_keys=True).encode(), kind)


def configuration(version, created, diff_ids):
    return {
        "architecture": "amd64",
        "os": "linux",
        "created": created,
        "config": {
            "User": "%d:%d" % (USER, USER),
            "Env": ["PATH=/usr/bin"],
            "Entrypoint": ["/usr/bin/gprofhub", "serve"],
            "Cmd": ["--data-dir", "/" + DATA, "--listen", "0.0.0.0:7070", "--log-format", "json"],
            "ExposedPorts": {"7070/tcp": {}},
            "Volumes": {"/" + DATA: {}},
            "WorkingDir": "/" + DATA,
            "StopSignal": "SIGTERM",
            # Docker's; the OCI's specification has no such field.
            "Healthcheck": {
                "Test": ["CMD", "/usr/bin/gprofhub", "health"],
                "Interval": 30 * SECOND,
                "Timeout": 10 * SECOND,
                "StartPeriod": 60 * SECOND,
                "Retries": 3,
            },
            "Labels": {
                "org.opencontainers.image.title": "gprofhub",
                "org.opencontainers.image.version": version,
                "org.opencontainers.image.licenses": "Apache-2.0",
            },
        },
        "rootfs": {"type": "layers", "diff_ids": diff_ids},
        "history": [
            {"created": created, "created_by": "libraries and certificates of Debian"},
            {"created": created, "created_by": "gprofhub " + version},
        ],
    }


def main(output, version, gprofhub, commands):
    with open(version, encoding="utf-8") as file:
        version = file.read().strip()
    created = datetime.datetime.fromtimestamp(tree.EPOCH, datetime.timezone.utc)
    created = created.strftime("%Y-%m-%dT%H:%M:%SZ")
    layout = Layout()
    layers, diff_ids = [], []
    for layer in (system_layer(commands), program_layer(gprofhub, commands)):
        plain = io.BytesIO()
        layer.write(plain)
        diff_ids.append("sha256:" + hashlib.sha256(plain.getvalue()).hexdigest())
        layers.append(layout.add_blob(gzip.compress(plain.getvalue(), 6, mtime=0), "layer.v1.tar+gzip"))
    manifest = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": layout.add_json(configuration(version, created, diff_ids), "config.v1+json"),
        "layers": layers,
    }
    described = layout.add_json(manifest, "manifest.v1+json")
    described["annotations"] = {"org.opencontainers.image.ref.name": version}
    index = {"schemaVersion": 2, "manifests": [described]}
    layout.files.add_file("index.json", json.dumps(index, sort_keys=True).encode())
    layout.files.add_file("oci-layout", b'{"imageLayoutVersion": "1.0.0"}')
    with open(output, "wb") as file:
        layout.files.write(file)


if __name__ == "__main__":
    main(*sys.argv[1:])
