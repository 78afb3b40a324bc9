"""Commands and options that README.md and docs/ name exist.

Asked is the built program: `gprofhub --help` for its commands, `gprofhub COMMAND
--help` for the options of each. Read are code spans and blocks of code in which
`gprofhub` stands as a command.
"""

import re

from checks import tools
from checks.outcome import Outcome

_COMMAND = re.compile(r"(?:^|[\s;&|(`'\"=])(?:\S*/)?gprofhub\s+([^`;&|#)]*)")
_OPTION = re.compile(r"^(--?[A-Za-z][\w-]*)")
_SPAN = re.compile(r"`([^`]+)`")
_FENCE = re.compile(r"^\s{0,3}```")


class Program:
    """What the program's help knows; asked once for each command."""

    def __init__(self, path, root):
        self._path = str(path)
        self._root = root
        self._options = {}
        self.commands = commands_in(self._help([]))

    def options(self, command):
        if command not in self._options:
            self._options[command] = options_in(self._help([command]))
        return self._options[command]

    def _help(self, command):
        return tools.run([self._path, *command, "--help"], self._root).stdout


def commands_in(text):
    """Lines under a heading of subcommands: two spaces, a name, its description."""
    heading = re.search(r"^\s*(sub)?commands:?\s*$", text, re.I | re.M)
    below = text[heading.end() :] if heading else text
    return set(re.findall(r"^ {1,6}([a-z][\w-]*)(?:\s{2,}\S.*)?$", below, re.M))


def options_in(text):
    return set(re.findall(r"(?<![\w-])(--?[A-Za-z][\w-]*)", text))


def mentions(text):
    """(line, words after `gprofhub`) of spans and blocks of code."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if _FENCE.match(line):
            fenced = not fenced
            continue
        if fenced or line.startswith("    "):
            pieces = [line]
        else:
            pieces = _SPAN.findall(line)
        for piece in pieces:
            for words in _COMMAND.findall(piece):
                yield number, words.split()


def faults_in(path, text, program):
    for number, words in mentions(text):
        if not words:
            continue
        command, rest = words[0], words[1:]
        if command.startswith("-"):
            command, rest = None, words
        elif not re.fullmatch(r"[a-z][\w-]*", command):
            continue  # COMMAND, or a name in a sentence's punctuation
        elif command not in program.commands:
            yield f"{path}:{number}: gprofhub has no command '{command}'"
            continue
        if command == "gprof":
            continue  # GNU gprof's options, bundled and with values; docs/gprof-compatibility.md
        for word in rest:
            found = _OPTION.match(word)
            if not found:
                continue
            known = program.options(command) if command else {"--help", "--version", "-h"}
            if found[1] not in known:
                where = f"gprofhub {command}" if command else "gprofhub"
                yield f"{path}:{number}: {where} has no option '{found[1]}'"


def check(the_tree, gprofhub):
    try:
        program = Program(gprofhub, the_tree.root)
    except OSError as error:
        raise tools.MissingTool(f"{error}; bazel build //cli:gprofhub builds it") from error
    if not program.commands:
        raise tools.MissingTool(f"{gprofhub} --help names no commands")
    faults = []
    for path in the_tree.documents():
        faults += faults_in(path, the_tree.text(path), program)
    note = f"{len(program.commands)} commands"
    return [Outcome("docs: commands and options that gprofhub has", faults, note)]
