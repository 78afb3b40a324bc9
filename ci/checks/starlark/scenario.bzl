"""What LoadArchive.java evaluates of the archive, and how the builtins behave that matter for it.

`record(text, **fields)` is a value with fields, `partial(function, *args)` a function with its first
arguments, `version` that of Bazel. `bazel` is LoadArchive's side: its version and files, and functions
that evaluate.
"""

# The repository's canonical name differs: a label in generated text must be found again.
_CANONICAL = "@@gprofhub~//" if version.startswith("7.") else "@@gprofhub+//"

# What was declared so far. The lists and dictionaries stay mutable for the whole run.
_repositories = {}  # by name: struct(rule, attributes)
_generated = {}  # text by label, of files that repository rules wrote
_dependencies = {"bazel_tools": True, "gprofhub": True}  # repositories that MODULE.bazel makes visible
_extensions = []  # struct(file, name, used)
_state = {}  # "bazel": LoadArchive's side

def _none(*_args, **_kwargs):
    return None

def _empty_list(*_args, **_kwargs):
    return []

def _empty_dict(*_args, **_kwargs):
    return {}

def _struct(**fields):
    return record("struct", **fields)

def _own_label(label):
    """//package:name of a label in gprofhub's repository; None for another one."""
    for prefix in ["@@gprofhub~//", "@@gprofhub+//", "@gprofhub//", "//"]:
        if label.startswith(prefix):
            return "//" + label[len(prefix):]
    return None

def _check_visible(repository):
    if repository not in _dependencies:
        fail("MODULE.bazel does not make @%s visible" % repository)

def _label(text):
    own = _own_label(text)
    if not own:
        _check_visible(text.split("//")[0].lstrip("@"))
        return record(text, name = text.split(":")[-1], package = text.split("//")[-1].split(":")[0])
    package, _, name = own[2:].partition(":")
    return record(_CANONICAL + own[2:], name = name or package.split("/")[-1], package = package)

# Attributes, with values for tags and rules that do not set them.

_SAMPLES = {
    "bool": False,
    "int": 0,
    "int_list": [],
    "label": None,
    "label_keyed_string_dict": {},
    "label_list": [],
    "label_list_dict": {},
    "output": None,
    "output_list": [],
    "string": "",
    "string_dict": {},
    "string_keyed_label_dict": {},
    "string_list": [],
    "string_list_dict": {},
}

def _attribute(sample, default = None, **kwargs):
    return _struct(value = sample if default == None else default, mandatory = kwargs.get("mandatory", False))

def _with_defaults(what, declared, given):
    values = {name: attribute.value for name, attribute in declared.items()}
    for name, value in given.items():
        if name not in declared and name != "name":
            fail("%s has no attribute '%s'" % (what, name))
        values[name] = value
    for name, attribute in declared.items():
        if attribute.mandatory and name not in given:
            fail("%s needs the attribute '%s'" % (what, name))
    return values

# Repository rules: declared by extensions, executed below.

def _declare_repository(implementation, attrs, name, **attributes):
    if name in _repositories:
        fail("the repository '%s' is declared twice" % name)
    _repositories[name] = _struct(
        attributes = _with_defaults("the repository rule of '%s'" % name, attrs, dict(attributes, name = name)),
        implementation = implementation,
    )

def _repository_rule(implementation, attrs = {}, **_kwargs):
    return partial(_declare_repository, implementation, attrs)

def _module_extension(implementation, tag_classes = {}, **_kwargs):
    return _struct(implementation = implementation, tag_classes = tag_classes)

def _tag_class(attrs = {}, **_kwargs):
    return _struct(attrs = attrs)

# MODULE.bazel.

def _check_external(label):
    """Names of the other repository's file."""
    names = _state["bazel"].names(label)
    if not names:
        fail("this version's table has no such file")
    _check_visible(label.split("//")[0].lstrip("@"))
    return names

def _bazel_dep(name, repo_name = "", **_kwargs):
    _dependencies[repo_name or name] = True

def _use_extension(file, name, **_kwargs):
    if not _own_label(file):
        _check_external(file)
    used = _struct(file = file, name = name, repositories = [])
    _extensions.append(used)
    return used

def _use_repo(extension, *names, **renamed):
    extension.repositories.extend(list(names) + renamed.values())
    for name in list(names) + renamed.keys():
        _dependencies[name] = True

FAKES = dict(
    {
        "Label": _label,
        "bazel_dep": _bazel_dep,
        "glob": _empty_list,
        "module_extension": _module_extension,
        "native.bazel_version": version,
        "native.existing_rule": _none,
        "native.existing_rules": _empty_dict,
        "native.glob": _empty_list,
        "native.package_name": partial(str, "package"),
        "native.repository_name": partial(str, "@"),
        "repository_rule": _repository_rule,
        "struct": _struct,
        "tag_class": _tag_class,
        "use_extension": _use_extension,
        "use_repo": _use_repo,
    },
    **{"attr." + kind: partial(_attribute, sample) for kind, sample in _SAMPLES.items()}
)

# Files that are loaded.

def _package_of(files, directory):
    for name in ["BUILD.bazel", "BUILD"]:
        if (directory + "/" + name).lstrip("/") in files:
            return True
    return False

def _own_path(files, package, name):
    """Path of a file in the archive. Fails where Bazel finds no package, or another one."""
    if not _package_of(files, package):
        fail("no BUILD file in '%s'" % package)
    directory = package
    for part in name.split("/")[:-1]:
        directory = (directory + "/" + part).lstrip("/")
        if _package_of(files, directory):
            fail("'%s' is a package of its own" % directory)
    path = (package + "/" + name).lstrip("/")
    if path not in files:
        fail("no such file")
    return path

def resolve(label, loading):
    """The file of a label: LoadArchive calls it for each load().

    Args:
      label: as in the load statement, or a path in the archive if nothing loads it.
      loading: the loading file: a path, or the label of a generated file.

    Returns:
      key: the file's name for messages; text: its text, or names: what it exports.
    """
    bazel = _state["bazel"]
    if not loading:
        return _struct(key = label, text = bazel.read(label))
    if label.startswith(":"):
        if loading.startswith("@"):
            label = loading.split(":")[0] + label
        else:
            package = loading.rpartition("/")[0]
            label = "//%s%s" % (package, label)
    own = _own_label(label)
    if own and not (loading.startswith("@") and label.startswith("//")):
        package, _, name = own[2:].partition(":")
        path = _own_path(bazel.files, package, name)
        return _struct(key = path, text = bazel.read(path))
    if label in _generated:
        return _struct(key = label, text = _generated[label])
    return _struct(key = label, names = _check_external(label))

# The context of a repository rule. `world` says whether programs are found and work, and files exist.

def _path(world, text):
    text = str(text)
    own = _own_label(text)
    if own:
        text = "/archive/" + own[2:].replace(":", "/")
    made = None
    current = ""
    for part in text.strip("/").split("/"):
        current += "/" + part
        fields = {"basename": part, "dirname": made, "exists": world.works, "is_dir": False, "readdir": partial(_readdir, world, current)}
        made = record(current, realpath = record(current, **fields), get_child = partial(_child, world, current), **fields)
    return made

def _child(world, text, *names):
    return _path(world, "/".join([text] + list(names)))

def _readdir(world, text):
    return [_path(world, text + "/file.cc")] if world.works else []

def _which(world, name):
    return _path(world, "/usr/bin/" + name) if world.works else None

_OUTPUTS = {"sha256sum": "0123456789abcdef  file\n", "uname": "x86_64\n"}

def _execute(world, arguments, **_kwargs):
    program = str(arguments[0])
    output = _OUTPUTS.get(program, "gcc version 12.2.0\n")
    return _struct(return_code = 0 if world.works else 1, stdout = output if world.works else "", stderr = "")

def _write(world, path, content = "", *_args, **_kwargs):
    package, _, name = str(path).rpartition("/")
    _generated["@%s//%s:%s" % (world.repository, package, name)] = content

def _template(world, path, template, substitutions = {}, **_kwargs):
    content = _read(world, template)
    for key, value in substitutions.items():
        content = content.replace(key, value)
    _write(world, path, content)

def _read(world, path, **_kwargs):
    own = _own_label(str(path))
    if own:
        return _state["bazel"].read(own[2:].replace(":", "/").lstrip("/"))
    return _generated.get("@%s//:%s" % (world.repository, path), _BUILD_OF_TOOLCHAIN)

# In the place of other files: a part of @local_config_cc's BUILD file, as rules_cc writes it.
_BUILD_OF_TOOLCHAIN = """load("@rules_cc//cc:defs.bzl", "cc_toolchain")

cc_toolchain(name = "cc-compiler-k8", toolchain_config = ":local", tool_paths = {"gcc": "/usr/bin/gcc"})
"""

def _download(*_args, **_kwargs):
    return _struct(integrity = "", sha256 = "", success = True)

def _os(name = "linux", arch = "amd64"):
    return _struct(name = name, arch = arch, environ = {"PATH": "/usr/bin"})

def _getenv(name, default = None):
    return {"PATH": "/usr/bin"}.get(name, default)

def _context(world, **fields):
    return _struct(
        delete = _none,
        download = _download,
        download_and_extract = _download,
        execute = partial(_execute, world),
        extract = _none,
        file = partial(_write, world),
        getenv = _getenv,
        os = _os(),
        path = partial(_path, world),
        read = partial(_read, world),
        report_progress = _none,
        symlink = _none,
        template = partial(_template, world),
        watch = _none,
        which = partial(_which, world),
        **fields
    )

def _repository_context(name, works):
    repository = _repositories[name]
    world = _struct(repository = name, works = works)
    return _context(
        world,
        attr = _struct(**repository.attributes),
        name = name,
        original_name = name,
        workspace_root = _path(world, "/workspace"),
    )

# Modules of a build: one that uses every tag class once, with values for what is mandatory, and gprofhub.

def _tags(extension, is_set):
    tags = {}
    for name, tag_class in extension.tag_classes.items():
        given = {attribute: it.value or "x" for attribute, it in tag_class.attrs.items() if it.mandatory}
        tags[name] = [_struct(**_with_defaults(name, tag_class.attrs, given))] if is_set else []
    return _struct(**tags)

def _module(extension, name, is_root, is_set):
    return _struct(name = name, version = "1", is_root = is_root, tags = _tags(extension, is_set))

def _module_context(extension, is_set):
    world = _struct(repository = "extension", works = True)
    return _context(
        world,
        extension_metadata = _struct,
        is_dev_dependency = partial(bool, False),
        is_isolated = False,
        modules = [
            _module(extension, "app", True, is_set),
            _module(extension, "gprofhub", False, False),
        ],
        root_module_has_non_dev_dependency = True,
    )

# What is evaluated.

def _run_extension(bazel, used):
    found = bazel.globals(_own_label(used.file)[2:].replace(":", "/"))
    if not found:
        return  # it did not load
    extension = found.get(used.name)
    if not extension:
        bazel.fail("%s has no extension '%s'" % (used.file, used.name))
        return
    for is_set in [True, False]:
        _repositories.clear()
        bazel.attempt(used.name + " of " + used.file, extension.implementation, _module_context(extension, is_set))
        for name in used.repositories:
            if name not in _repositories:
                bazel.fail("MODULE.bazel uses the repository '%s', which %s does not declare" % (name, used.name))

def _run_repository_rules(bazel):
    for name, repository in _repositories.items():
        # Where nothing is found, a rule may end with its own message.
        message = bazel.attempt("", repository.implementation, _repository_context(name, False))
        if message and "Error in fail: " not in message:
            bazel.fail("repository '%s', where nothing is found: %s" % (name, message))
        bazel.attempt("repository '%s'" % name, repository.implementation, _repository_context(name, True))

def _check_labels(bazel, path):
    """Labels of other repositories, which are found in the rules' implementations and attributes only."""
    for number, line in enumerate(bazel.read(path).splitlines()):
        for label in line.split("#")[0].split('"@')[1:]:
            repository, slashes, _ = label.split('"')[0].partition("//")
            if slashes and repository.replace("_", "").isalnum() and repository not in _dependencies:
                bazel.fail("%s:%d: MODULE.bazel does not make @%s visible" % (path, number + 1, repository))

# Calls of the public macros, by their file.
_CALLS = {
    "bazel/defs.bzl": [
        ("gprof_benchmark", {"name": "b", "srcs": ["b.cc"], "deps": [":benchmark"]}),
        ("gprof_benchmark", {"name": "b", "binary": ":program", "args": ["--x"], "size": "small"}),
        ("gprof_ordered_binary", {"name": "o", "ordering": "o.txt", "srcs": ["o.cc"]}),
        ("gprof_profile", {"name": "p", "test": ":t"}),
        ("gprof_test_suite", {"name": "s", "tests": ["//a:b", "t"], "options": ["-c", "opt"]}),
    ],
}

def _call_macros(bazel):
    for path, calls in _CALLS.items():
        if path not in bazel.files:
            bazel.fail("%s is not in the archive" % path)
            continue
        found = bazel.globals(path)
        for name, arguments in calls:
            if name in found:
                bazel.attempt("%s of %s" % (name, path), found[name], **arguments)
            elif found:
                bazel.fail("%s has no '%s'" % (path, name))

def check(bazel):
    """Evaluates everything in the order in which Bazel would.

    Args:
      bazel: LoadArchive's side.
    """
    _state["bazel"] = bazel
    bazel.evaluate(bazel.read("MODULE.bazel"), "MODULE.bazel", "module")
    for used in _extensions:
        if _own_label(used.file):
            _run_extension(bazel, used)
    _run_repository_rules(bazel)
    for path in bazel.files:
        if path.endswith(".bzl"):
            bazel.globals(path)
            _check_labels(bazel, path)
    for path in bazel.files:
        if path.split("/")[-1] in ["BUILD", "BUILD.bazel"]:
            bazel.evaluate(bazel.read(path), path, "build")
            _check_labels(bazel, path)
    for label, text in _generated.items():
        if label.split(":")[-1] in ["BUILD", "BUILD.bazel"]:
            bazel.evaluate(text, label, "build")
    _call_macros(bazel)
