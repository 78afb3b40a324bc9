"""What of a BUILD file the archive for a user's Bazel takes."""

import ast


class NotUnderstood(Exception):
    """A statement of a BUILD file of which nobody can say whether the archive needs it."""


def _rules(node):
    """The calls that the statement makes; none: it is no call of a rule or macro."""
    if not isinstance(node, ast.Expr):
        return []
    if isinstance(node.value, ast.Call):
        return [node.value]
    if isinstance(node.value, ast.ListComp) and isinstance(node.value.elt, ast.Call):
        return [node.value.elt]
    return []


def _kind(rule):
    return rule.func.id if isinstance(rule.func, ast.Name) else ""


def _attribute(rule, name):
    """Its value, if that is written down; None otherwise."""
    for keyword in rule.keywords:
        if keyword.arg == name and isinstance(keyword.value, ast.Constant):
            return keyword.value.value
    return None


def _is_of_tests(rule):
    return _kind(rule).endswith("_test") or _attribute(rule, "testonly") is True


def _is_understood(node):
    if isinstance(node, ast.Assign):
        return True
    if not isinstance(node, ast.Expr):
        return False
    if isinstance(node.value, ast.Constant):
        return True  # the file's first words
    # A target made by a list comprehension could be a test, or a source of the runtime.
    return isinstance(node.value, ast.Call) and bool(_kind(node.value))


def _with_comments(lines, node):
    begin = node.lineno - 1
    while begin > 0 and lines[begin - 1].startswith("#"):
        begin -= 1
    return "\n".join(lines[begin : node.end_lineno])


def trimmed(path, text):
    """The text without tests, and without the list of files for the archive.

    A list comprehension of tests is left out. NotUnderstood: any other one, or a statement of
    another sort.
    """
    lines = text.split("\n")
    kept = []
    for node in ast.parse(text, path).body:
        rules = _rules(node)
        if rules and all(_is_of_tests(rule) for rule in rules):
            continue
        if not _is_understood(node):
            raise NotUnderstood(
                "%s:%d: the archive for Bazel takes rules, loads and names, and leaves out list "
                "comprehensions of tests. This is none of them: write the rules out one by one"
                % (path, node.lineno)
            )
        name = _attribute(rules[0], "name") if rules else None
        if name == "for_bazel":
            continue
        kept.append(_with_comments(lines, node))
    return "\n\n".join(kept) + "\n"
