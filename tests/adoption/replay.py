#!/usr/bin/env python3
"""Executes actions of a build elsewhere, as a remote worker does: with their inputs and nothing else.

    replay.py EXECUTION-LOG EXECUTION-ROOT TARGET-FOLDER MNEMONIC...

The log is that of Bazel's --execution_log_json_file. Each action with one of the mnemonics and an output
below TARGET-FOLDER runs in a folder of its own. It fails if one of them fails, or names a file of this
machine's Bazel.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile


def spawns(path):
    decoder = json.JSONDecoder()
    with open(path, encoding="utf-8") as file:
        text = file.read()
    at = 0
    while at < len(text.rstrip()):
        spawn, end = decoder.raw_decode(text, at)
        yield spawn
        at = end + len(text[end:]) - len(text[end:].lstrip())


def replay(spawn, root):
    with tempfile.TemporaryDirectory() as folder:
        for file in spawn["inputs"]:
            copy = os.path.join(folder, file["path"])
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            shutil.copy(os.path.join(root, file["path"]), copy)
        for path in spawn["listedOutputs"]:
            os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
        environment = {variable["name"]: variable["value"] for variable in spawn["environmentVariables"]}
        done = subprocess.run(
            spawn["commandArgs"], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )
        if done.returncode != 0:
            return done.stdout.decode()
    return None


def main(log, root, folder, *mnemonics):
    replayed = 0
    for spawn in spawns(log):
        if spawn["mnemonic"] not in mnemonics or folder not in spawn["listedOutputs"][0]:
            continue
        if any(os.path.dirname(root) in argument for argument in spawn["commandArgs"]):
            sys.exit("names a folder of Bazel's: %s" % spawn["commandArgs"])
        problem = replay(spawn, root)
        if problem is not None:
            sys.exit("%s: %s" % (spawn["listedOutputs"][0], problem))
        replayed += 1
        print("%s: %d inputs" % (spawn["listedOutputs"][0], len(spawn["inputs"])))
    if replayed < len(mnemonics):
        sys.exit("only %d actions are in the log" % replayed)


if __name__ == "__main__":
    main(*sys.argv[1:])
