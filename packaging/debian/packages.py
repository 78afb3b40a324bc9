"""The Debian packages: what is in each, and what each says of itself.

Paths are where files lie on the user's machine. Sources are names that build.py has files for.
"""

import dataclasses


@dataclasses.dataclass
class Package:
    name: str
    architecture: str
    depends: list  # besides the libraries of its programs
    summary: str
    description: str
    files: dict  # path: name of the source
    links: dict = dataclasses.field(default_factory=dict)  # path: target
    trees: dict = dataclasses.field(default_factory=dict)  # folder: name of a source folder
    scripts: dict = dataclasses.field(default_factory=dict)  # maintainer script: its text
    overrides: list = dataclasses.field(default_factory=list)  # of lintian: (tag and text, why)


_NO_ADDRESS = [
    ("bogus-mail-host Maintainer *", "who publishes packages names themselves"),
    ("bogus-mail-host-in-debian-changelog *", "likewise"),
]

_NEW_USER = """#!/bin/sh
set -e
if [ "$1" = configure ] && ! getent passwd gprofhub >/dev/null; then
  adduser --quiet --system --group --no-create-home --home /var/lib/gprofhub gprofhub
fi
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
fi
"""

# Before the program goes; the files of its user stay.
_STOP = """#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  deb-systemd-invoke stop gprofhub.service >/dev/null || true
fi
"""

PACKAGES = [
    Package(
        "gprofhub",
        "amd64",
        [],
        "call-graph profiles of C++ tests: client and gprof",
        "gprofhub turns every \"bazel test\" of a C++ repository into call-graph\n"
        "performance knowledge. This package has the command that sends profiles,\n"
        "asks a server what changed, compares profiles on this machine, orders\n"
        "functions for the linker, and prints profiles as GNU gprof does.",
        {
            "usr/bin/gprofhub": "program",
            "usr/libexec/gprofhub/gprofhub_commands": "commands",
            "usr/share/bash-completion/completions/gprofhub": "completion.bash",
            "usr/share/zsh/vendor-completions/_gprofhub": "completion.zsh",
            "usr/share/gprofhub/ci/profiled_tests": "profiled_tests",
        },
        # Optional replacement of gprof: first in PATH.
        links={"usr/share/gprofhub/bin/gprof": "../../../bin/gprofhub"},
        trees={"usr/share/man/man1": "manual"},
        overrides=_NO_ADDRESS
        + [
            ("statically-linked-binary *", "gprof alone: it starts in two milliseconds"),
            ("embedded-library *", "likewise; Debian's own static libraries"),
        ],
    ),
    Package(
        "gprofhub-server",
        "amd64",
        ["gprofhub (= @VERSION@)", "adduser"],
        "call-graph profiles of C++ tests: the service",
        "gprofhub turns every \"bazel test\" of a C++ repository into call-graph\n"
        "performance knowledge. This package has the systemd unit of the server,\n"
        "its user, and examples of a front (nginx) and of monitoring.",
        {
            "etc/default/gprofhub": "gprofhub.default",
            "lib/systemd/system/gprofhub.service": "gprofhub.service",
            "usr/share/doc/gprofhub-server/examples/nginx.conf": "nginx.conf",
            "usr/share/doc/gprofhub-server/examples/prometheus.yml": "prometheus.yml",
            "usr/share/doc/gprofhub-server/examples/alerts.yml": "alerts.yml",
            "usr/share/doc/gprofhub-server/examples/grafana-dashboard.json": "grafana-dashboard.json",
        },
        scripts={"postinst": _NEW_USER, "prerm": _STOP},
        overrides=_NO_ADDRESS,
    ),
    Package(
        "gprofhub-bazel",
        "all",
        ["zip"],
        "call-graph profiles of C++ tests: rules and runtime for Bazel",
        "gprofhub turns every \"bazel test\" of a C++ repository into call-graph\n"
        "performance knowledge. This package has what a repository's Bazel loads:\n"
        "the configuration \"gprof\", rules that order functions, and the runtime\n"
        "that is linked into tests.",
        {},
        trees={"usr/share/gprofhub/bazel": "bazel"},
        overrides=_NO_ADDRESS
        + [
            ("arch-independent-package-contains-binary-or-object *", "one package for all processors"),
            ("arch-dependent-file-in-usr-share *", "an input of compile actions for x86-64; others have mcount"),
            ("statically-linked-binary *", "it runs on any worker"),
        ],
    ),
]
