"""Where the documents' commands run: folders with what their readers have.

A reader of README.md and docs/setup.md has a repository built with Bazel, a server,
and the packages. What gprofhub-bazel.deb installs is here the archive that has the
same, unpacked in a folder of its own. A reader of docs/runtime.md sits in gprofhub's
own repository; here that is a folder of its own whose Bazel works in gprofhub's.
"""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import threading
import time

# The documents' name for a team's server.
SERVER = "gprofhub.example.com:7070"

# Where gprofhub-bazel.deb installs the files that Bazel loads.
INSTALLED = "/usr/share/gprofhub/bazel"

# A CI system's own variables would name its commit in place of the example's.
_FOREIGN = ("CI", "GITHUB_ACTIONS", "GITLAB_CI", "BUILDKITE", "JENKINS_URL", "TF_BUILD", "CIRCLECI", "GPROFHUB_PROJECT", "GPROFHUB_TOKEN")

_PROGRAM = """
__attribute__((noinline)) long work(long n) {
  volatile long sum = 0;
  for (long i = 0; i < n; ++i) sum += i;
  return sum;
}
__attribute__((noinline)) long cheap(void) { return work(1000000); }
__attribute__((noinline)) long dear(void) { return work(9000000); }
int main(void) {
  long sum = 0;
  for (int i = 0; i < 10; ++i) sum += cheap() + dear();
  return sum == 0;
}
"""

_REPOSITORY = {
    "WORKSPACE": """workspace(name = "example")

load("//:debian.bzl", "debian_repositories")

debian_repositories()

""",
    ".bazelrc": "build --cxxopt=-std=c++17\n\n",
    ".gitignore": "/bazel-*\n*.bin\n",
    "BUILD": """
cc_library(
    name = "words",
    srcs = ["words.cc"],
    hdrs = ["words.h"],
)

cc_test(
    name = "words_test",
    srcs = ["words_test.cc"],
    deps = [":words"],
)
""",
    "words.h": '#pragma once\n#include <string>\nint CountWords(const std::string& text);\n',
    "words.cc": """#include "words.h"
static bool IsSpace(char c) { return c == ' ' || c == '\\n'; }
int CountWords(const std::string& text) {
  int words = 0;
  bool inside = false;
  for (char c : text) {
    if (!IsSpace(c) && !inside) ++words;
    inside = !IsSpace(c);
  }
  return words;
}
""",
    "words_test.cc": """#include "words.h"
int main() {
  for (int i = 0; i < 20000; ++i) {
    if (CountWords("to be or not to be") != 6) return 1;
  }
}
""",
}


class Server:
    """gprofhub serve on a free port, and the team's address for it.

    The address goes through a proxy (gRPC reads the variable grpc_proxy), so that
    commands run as they are written.
    """

    def __init__(self, gprofhub, folder):
        folder.mkdir(parents=True)
        self._log = folder / "server.log"
        with open(self._log, "w", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                [str(gprofhub), "serve", "--data-dir", str(folder / "data"), "--listen", "127.0.0.1:0"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        try:
            self.address = self._wait_until_it_listens()
            self._proxy = socket.create_server(("127.0.0.1", 0))
        except BaseException:
            self.stop()
            raise
        threading.Thread(target=self._accept, daemon=True).start()

    def _wait_until_it_listens(self):
        # It listens or it ends. The limit is only for what hangs.
        deadline = time.monotonic() + 900
        while time.monotonic() < deadline:
            if found := re.search(r"^listening on (\S+)", self._log.read_text(), re.M):
                return found[1]
            if self._process.poll() is not None:
                break
            time.sleep(0.1)
        raise RuntimeError(f"gprofhub serve does not come up:\n{self._log.read_text()}")

    def variables(self):
        return {
            "GPROFHUB_SERVER": self.address,
            "grpc_proxy": f"http://127.0.0.1:{self._proxy.getsockname()[1]}",
            "no_grpc_proxy": "127.0.0.1,localhost",
        }

    def stop(self):
        self._process.terminate()
        try:
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _accept(self):
        while True:
            client, _ = self._proxy.accept()
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        head = b""
        while b"\r\n\r\n" not in head:
            piece = client.recv(4096)
            if not piece:
                return
            head += piece
        if head.split()[:2] != [b"CONNECT", SERVER.encode()]:
            client.sendall(b"HTTP/1.1 403 Forbidden\r\n\r\n")
            client.close()
            return
        host, _, port = self.address.rpartition(":")
        server = socket.create_connection((host, int(port)))
        client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        threading.Thread(target=_copy, args=(client, server), daemon=True).start()
        _copy(server, client)


def _copy(source, target):
    try:
        while piece := source.recv(1 << 16):
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # the other side has gone


def variables(gprofhub, tools, cache):
    """The environment of all commands: `gprofhub` and a modest `bazel` are on the way."""
    tools.mkdir(parents=True)
    (tools / "gprofhub").symlink_to(gprofhub)
    real = shutil.which("bazel")
    output_base = ""
    if bases := os.environ.get("GPROFHUB_OUTPUT_BASES"):
        output_base = f'--output_base="{bases}/${{BAZEL_OUTPUT_NAME:-docs}}" '
    wrapper = tools / "bazel"
    # Bazel's own options are not checked.
    wrapper.write_text(
        "#!/bin/sh\n"
        'if [ -n "$BAZEL_WORKS_IN" ]; then cd "$BAZEL_WORKS_IN" || exit; idle=300 cache=; '
        f"else idle=30 cache=--disk_cache={cache}/docs-build; fi\n"
        "command=$1\nshift\n"
        f"exec {real} {output_base}--host_jvm_args=-Xmx1g --max_idle_secs=$idle"
        ' "$command" $cache "$@"\n'
    )
    wrapper.chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
    environment["PATH"] = f"{tools}:{environment['PATH']}"
    return environment


def users_repository(folder, root):
    """A small repository under git."""
    for name, text in _REPOSITORY.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    # So the repository builds on a machine without a network, before it has gprofhub.
    shutil.copy2(root / "bazel/debian.bzl", folder)

    def git(*arguments):
        subprocess.run(
            ["git", "-c", "user.name=example", "-c", "user.email=example@localhost", "-c", "commit.gpgsign=false", *arguments],
            cwd=folder,
            check=True,
            stdout=subprocess.DEVNULL,
        )

    git("init", "-q", "--initial-branch=main")
    git("add", ".gitignore", "BUILD", "words.h", "words.cc", "words_test.cc")
    git("commit", "-q", "-m", "Count words")
    return {}


def install(folder, archive):
    """What gprofhub-bazel.deb installs; gives where it is."""
    folder.mkdir(parents=True)
    subprocess.run(["tar", "-C", folder, "--strip-components=1", "-xf", archive], check=True)
    return folder


def load_gprofhub(folder, installed):
    """What README.md says to add, for documents that take it for granted."""
    with open(folder / "WORKSPACE", "a", encoding="utf-8") as file:
        file.write(
            f'local_repository(name = "gprofhub", path = "{installed}")\n'
            'load("@gprofhub//bazel:repositories.bzl", "gprofhub_repositories")\n'
            "gprofhub_repositories()\n"
        )
    with open(folder / ".bazelrc", "a", encoding="utf-8") as file:
        file.write(f"import {installed}/bazel/gprof.bazelrc\n")


def this_repository(folder, root):
    """A folder with a program and its profile, where Bazel builds gprofhub."""
    folder.mkdir(parents=True)
    (folder / "bazel-bin").symlink_to(root / "bazel-bin")
    (folder / "program.c").write_text(_PROGRAM)
    for command in (
        ["gcc", "-pg", "-g", "-O1", "-fno-omit-frame-pointer", "-c", "program.c"],
        ["gcc", "-pg", "program.o", "-o", "a.out"],
        ["./a.out"],
    ):
        subprocess.run(command, cwd=folder, check=True)
    return {"BAZEL_WORKS_IN": str(root), "BAZEL_OUTPUT_NAME": "gprofhub"}


PLACES = {
    "a user's repository": users_repository,
    "this repository": this_repository,
}


def fresh(folder):
    """An empty folder; what an earlier run left there is removed."""
    path = pathlib.Path(folder)
    if path.exists():
        shutil.rmtree(path)
    path.mkdir(parents=True)
    return path
