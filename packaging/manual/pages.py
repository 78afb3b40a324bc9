"""Writes the manual's pages, one for each command: gprofhub.1, gprofhub-upload.1, …

    pages.py PROGRAM VERSION FOLDER
"""

import gzip
import os
import sys

import gprofhub_help


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


def main(program, version, folder):
    os.makedirs(folder, exist_ok=True)
    for command in gprofhub_help.read_command(program, ["gprofhub"]).every():
        data = ("\n".join(page(command, version)) + "\n").encode()
        path = os.path.join(folder, page_name(command) + ".1.gz")
        with open(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
            packed.write(data)


if __name__ == "__main__":
    main(*sys.argv[1:])
