"""Writes the shells' completions of gprofhub's commands and options.

    completions.py PROGRAM BASH-FILE ZSH-FILE
"""

import sys

import gprofhub_help


def options_of(command):
    names = []
    for group in command.groups:
        for option in group.options:
            names += [name for name in option.names() if name.startswith("-")]
    return names


def bash(root):
    cases = []
    for command in root.every():
        words = [below.words[-1] for below in command.subcommands] + options_of(command)
        cases.append('    "%s") words="%s" ;;' % (" ".join(command.words[1:]), " ".join(words)))
    return """# bash completion of gprofhub: commands and options, then files.
_gprofhub() {
  local current=${COMP_WORDS[COMP_CWORD]} command= word words=
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case " $_gprofhub_commands " in
    *"|${command:+$command }$word|"*) command="${command:+$command }$word" ;;
    esac
  done
  case $command in
%s
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  ((${#COMPREPLY[@]})) || mapfile -t COMPREPLY < <(compgen -f -- "$current")
}
_gprofhub_commands="|%s|"
complete -o filenames -F _gprofhub gprofhub
""" % ("\n".join(cases), "|".join(" ".join(command.words[1:]) for command in root.every()))


def zsh_quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def zsh(root):
    cases = []
    for command in root.every():
        rows = [
            (option.names()[-1], option.words)
            for group in command.groups
            for option in group.options
            if option.names()
        ]
        rows = [(name, words) for name, words in rows if name.startswith("-")] + [
            (below.words[-1], below.summary) for below in command.subcommands
        ]
        items = " ".join(
            zsh_quoted("%s:%s" % (name, words.split(". ")[0].replace(":", "\\:")))
            for name, words in rows
        )
        cases.append('    "%s") items=(%s) ;;' % (" ".join(command.words[1:]), items))
    return """#compdef gprofhub
# zsh completion of gprofhub: commands and options, then files.
_gprofhub() {
  local command= word
  local -a items
  for word in "${(@)words[2,CURRENT-1]}"; do
    [[ "|%s|" == *"|${command:+$command }$word|"* ]] && command="${command:+$command }$word"
  done
  case $command in
%s
  esac
  _describe 'command or option' items || _files
}
_gprofhub "$@"
""" % ("|".join(" ".join(command.words[1:]) for command in root.every()), "\n".join(cases))


def main(program, bash_file, zsh_file):
    root = gprofhub_help.read_command(program, ["gprofhub"])
    for path, text in ((bash_file, bash(root)), (zsh_file, zsh(root))):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
