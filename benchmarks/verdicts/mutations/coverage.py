"""How often each line of a program ran, by gcov: a branch never taken is no place for a mutation."""

import collections
import json
import pathlib
import tempfile

from fetch import CACHE, digest, quiet


def executed(program):
    """{file: {line: how often}} of one run of the program, built without optimisation."""
    key = digest(program.name, *program.options, *program.arguments,
                 *[f"{k}{v}".encode(errors="surrogateescape") for k, v in sorted(program.sources.items())])
    kept = CACHE / "mutations" / "coverage" / f"{key}.json"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(_measured(program)))
    return {file: {int(line): count for line, count in lines.items()} for file, lines in json.loads(kept.read_text()).items()}


def _measured(program):
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        for name, text in program.sources.items():
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            (work / name).write_text(text, errors="surrogateescape")
        objects = [f"unit{i}.o" for i in range(len(program.units))]
        for unit, made in zip(program.units, objects):
            quiet([program.compiler, *program.options, "-O0", "--coverage", "-I.", "-c", unit, "-o", made], cwd=work)
        quiet([program.compiler, "--coverage", *objects, *program.libraries, "-lpthread", "-o", "program"], cwd=work)
        quiet(["./program", *program.arguments], cwd=work)
        found = collections.defaultdict(collections.Counter)
        for made in objects:
            if not (work / made).with_suffix(".gcda").exists():
                continue
            for document in quiet(["gcov", "--json-format", "--stdout", made], cwd=work).splitlines():
                for file in json.loads(document)["files"]:
                    for line in file["lines"]:
                        found[file["file"].removeprefix("./")][line["line_number"]] += line["count"]
        return found
