"""The contents of `gprofhub COMMAND --help` as values. The manual's pages are made from it, so that
they agree with the program."""

import dataclasses
import re
import subprocess

# Descriptions of options begin in this column, or on the next line.
COLUMN = 30


@dataclasses.dataclass
class Option:
    """One option, positional argument or subcommand: how it is written, and what it is."""

    form: str
    words: str

    def names(self):
        """The option's names with their dashes; a subcommand's name."""
        return [name for name in self.form.split(" ")[0].split(",") if name]


@dataclasses.dataclass
class Group:
    title: str
    options: list


@dataclasses.dataclass
class Command:
    words: list  # "gprofhub", "token", "create"
    summary: str
    details: list  # lines after the summary
    usage: str
    groups: list
    examples: list  # lines; of a help in another form all lines
    subcommands: list  # of Command

    def every(self):
        """This command and all below it."""
        yield self
        for command in self.subcommands:
            yield from command.every()


def help_text(program, words):
    result = subprocess.run(
        [program] + words[1:] + ["--help"],
        stdout=subprocess.PIPE,
        check=True,
        env={"LC_ALL": "C.UTF-8", "COLUMNS": "80"},
    )
    return result.stdout.decode().replace(program, "gprofhub")


def read_options(lines):
    options = []
    for line in lines:
        if not line.strip():
            continue
        if line.startswith("  ") and not line.startswith(" " * COLUMN):
            # At least two spaces separate the form and its description; a long form has a line of
            # its own.
            form, _, words = line.strip().partition("  ")
            if len(line) > COLUMN and line[COLUMN - 1] == " ":
                form, words = line[:COLUMN].strip(), line[COLUMN:].strip()
            options.append(Option(form, words.strip()))
        elif options and line.startswith(" "):
            options[-1].words = (options[-1].words + " " + line.strip()).strip()
    return options


def read_command(program, words):
    """The command and, by asking the program again, those below it."""
    text = help_text(program, words)
    lines = text.rstrip("\n").split("\n")
    usage_at = next(i for i, line in enumerate(lines) if line.startswith("Usage:"))
    command = Command(words, "", [], lines[usage_at][len("Usage:") :].strip(), [], [], [])
    if usage_at == 0:
        # gprof prints GNU gprof's help.
        command.summary = "display call graph profile data, as GNU gprof does"
        command.usage = ""
        command.examples = lines
        return command
    command.summary, *command.details = lines[:usage_at]
    title, block = "", []
    for line in lines[usage_at + 1 :] + ["End:"]:
        if re.match(r"\S.*:$", line):
            if title == "Examples":
                command.examples = block
            elif any(line.strip() for line in block):
                command.groups.append(Group(title, read_options(block)))
            title, block = line[:-1], []
        else:
            block.append(line)
    for group in command.groups:
        # Commands are in groups, too; no option lacks its dashes.
        if group.title == "Positionals" or any(option.form[0] == "-" for option in group.options):
            continue
        for option in group.options:
            command.subcommands.append(read_command(program, words + option.names()))
    return command
