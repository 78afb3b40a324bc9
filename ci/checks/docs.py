"""Commands, options and configurations that README.md and docs/ name exist.

Asked is the built program: `gprofhub --help` for its commands, `gprofhub COMMAND
--help` for the options of each. Read are code spans and blocks of code in which
`gprofhub` stands as a command, and code spans that are an option alone, which
some command of gprofhub must have. A `--config=NAME` must stand in a bazelrc file.
"""

import re

from checks import tools
from checks.links import prose_lines
from checks.outcome import Outcome

_COMMAND = re.compile(r"(?:^|[\s;&|(`'\"=])(?:\S+/)?gprofhub\s+([^`;&|#)]*)")
_OPTION = re.compile(r"^(--?[A-Za-z][\w-]*)")
_SPAN = re.compile(r"`([^`]+)`")
_LONE_OPTION = re.compile(r"^(--[a-z][\w-]*)(?:=(\S+))?")
_CONFIG = re.compile(r"--config=([a-z]\w*)")
_FENCE = re.compile(r"^\s{0,3}```")

# Options of Bazel's and of linkers that the docs speak of.
OTHER_PROGRAMS = {
    "--benchmark_filter",
    "--bes_backend",
    "--bes_header",
    "--bes_results_url",
    "--bes_upload_mode",
    "--build_event_binary_file",
    "--build_metadata",
    "--config",
    "--cpu",
    "--crosstool_top",
    "--custom_malloc",
    "--gc-sections",
    "--noremote_accept_cached",
    "--noremote_upload_local_results",
    "--output_groups",
    "--platform_suffix",
    "--project_id",
    "--remote_cache",
    "--remote_download_minimal",
    "--remote_download_outputs",
    "--remote_download_toplevel",
    "--remote_header",
    "--remote_instance_name",
    "--remote_local_fallback",
    "--run_under",
    "--runs_per_test",
    "--test_env",
    "--test_filter",
    "--workspace_status_command",
}


class Program:
    """What the program's help knows; asked once for each command."""

    def __init__(self, path, root):
        self._path = str(path)
        self._root = root
        self._options = {}
        self.commands = commands_in(self._help([]))

    def options(self, command):
        """Those of what is below it, such as `admin retention set`, among them."""
        if command not in self._options:
            self._options[command] = self._options_below([command])
        return self._options[command]

    def _options_below(self, words):
        text = self._help(words)
        options = options_in(text)
        for subcommand in commands_in(text):
            options |= self._options_below([*words, subcommand])
        return options

    def all_options(self):
        """Of all commands, and of gprof, whose help has a shape of its own."""
        found = {"--help", "--version"} | set(re.findall(r"--[a-z][\w-]*", self._help(["gprof"])))
        for command in self.commands:
            found |= self.options(command)
        return found

    def _help(self, command):
        return tools.run([self._path, *command, "--help"], self._root).stdout


def commands_in(text):
    """Lines below "Subcommands:", each of a name and a description."""
    _, heading, below = text.partition("\nSubcommands:\n")
    below = below.partition("\n\n")[0]
    return set(re.findall(r"^  ([a-z][\w-]*)(?:\s{2,}\S.*)?$", below, re.M)) if heading else set()


def options_in(text):
    """Lines that begin with an option, or with several: `-h,--help`."""
    found = set()
    for names in re.findall(r"^ {1,8}(-[\w-]+(?:, ?-[\w-]+)*)", text, re.M):
        found.update(re.split(r", ?", names))
    return found


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


def lone_option_faults(path, text, known):
    for number, line in prose_lines(text):
        for span in _SPAN.findall(line):
            option = _LONE_OPTION.match(span)
            if option and option[1] not in known and option[1] not in OTHER_PROGRAMS:
                yield f"{path}:{number}: no command of gprofhub has the option '{option[1]}'"


def config_faults(path, text, configs):
    for number, line in enumerate(text.splitlines(), 1):
        for name in _CONFIG.findall(line):
            if name not in configs:
                yield f"{path}:{number}: no bazelrc file has a configuration '{name}'"


def configs_of(the_tree):
    found = set()
    for path in the_tree.files:
        if path.endswith("bazelrc"):
            found.update(re.findall(r"^\w+:(\w+)", the_tree.text(path), re.M))
    return found


def check(the_tree, gprofhub):
    try:
        program = Program(gprofhub, the_tree.root)
    except OSError as error:
        raise tools.MissingTool(f"{error}; bazel build //cli:gprofhub builds it") from error
    if not program.commands:
        raise tools.MissingTool(f"{gprofhub} --help names no commands")
    faults = []
    options = program.all_options()
    configs = configs_of(the_tree)
    for path in the_tree.documents():
        text = the_tree.text(path)
        faults += faults_in(path, text, program)
        faults += lone_option_faults(path, text, options)
        faults += config_faults(path, text, configs)
    note = f"{len(program.commands)} commands"
    return [Outcome("docs: commands and options that gprofhub has", faults, note)]
