"""Writes an archive of the manual's pages, one for each command: gprofhub.1.gz, gprofhub-upload.1.gz, …

    pages.py PROGRAM VERSION-FILE OUTPUT
"""

import gzip
import sys

import gprofhub_help
import tree


def roff(text):
    """Text that troff prints as it is."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + escaped if escaped[:1] in (".", "'") else escaped


def verbatim(lines):
    return [".nf"] + [roff(line) for line in lines] + [".fi"]


def page_name(command):
    return "-".join(command.words)


def page(command, version):
    summary = command.summary.rstrip(".")
    lines = [
        '.TH "%s" 1 "" "gprofhub %s" "gprofhub"' % (page_name(command).upper(), version),
        ".SH NAME",
        "%s \\- %s" % (roff(page_name(command)), roff(summary[:1].lower() + summary[1:])),
        ".SH SYNOPSIS",
    ]
    if not command.usage:
        return lines + verbatim(command.examples)
    name = " ".join(command.words)
    lines += [".B " + roff(name), roff(command.usage[len(name) :].strip())]
    if command.details:
        lines += [".SH DESCRIPTION"] + [roff(line) for line in command.details]
    for group in command.groups:
        lines.append('.SH "%s"' % roff(group.title.upper()))
        for option in group.options:
            lines += [".TP", ".B " + roff(option.form), roff(option.words)]
    if command.examples:
        lines += [".SH EXAMPLES"] + verbatim(command.examples)
    if command.subcommands:
        pages = ["\\fB%s\\fR(1)" % roff(page_name(below)) for below in command.subcommands]
        lines += [".SH SEE ALSO", ", ".join(pages)]
    return lines


def main(program, version, output):
    with open(version, encoding="utf-8") as file:
        version = file.read().strip()
    pages = tree.Tree()
    for command in gprofhub_help.read_command(program, ["gprofhub"]).every():
        text = "\n".join(page(command, version)) + "\n"
        pages.add_file(page_name(command) + ".1.gz", gzip.compress(text.encode(), 9, mtime=0))
    with open(output, "wb") as file:
        pages.write(file)


if __name__ == "__main__":
    main(*sys.argv[1:])
