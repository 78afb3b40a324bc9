import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import net.starlark.java.eval.Dict;
import net.starlark.java.eval.EvalException;
import net.starlark.java.eval.HasBinary;
import net.starlark.java.eval.Module;
import net.starlark.java.eval.Mutability;
import net.starlark.java.eval.Printer;
import net.starlark.java.eval.Starlark;
import net.starlark.java.eval.StarlarkCallable;
import net.starlark.java.eval.StarlarkFunction;
import net.starlark.java.eval.StarlarkIterable;
import net.starlark.java.eval.StarlarkList;
import net.starlark.java.eval.StarlarkSemantics;
import net.starlark.java.eval.StarlarkThread;
import net.starlark.java.eval.StarlarkValue;
import net.starlark.java.eval.Structure;
import net.starlark.java.eval.Tuple;
import net.starlark.java.syntax.DotExpression;
import net.starlark.java.syntax.FileOptions;
import net.starlark.java.syntax.Identifier;
import net.starlark.java.syntax.NodeVisitor;
import net.starlark.java.syntax.ParserInput;
import net.starlark.java.syntax.Program;
import net.starlark.java.syntax.Resolver;
import net.starlark.java.syntax.StarlarkFile;
import net.starlark.java.syntax.SyntaxError;
import net.starlark.java.syntax.TokenKind;

/**
 * Evaluates the files of gprofhub's archive for Bazel in Bazel's own Starlark interpreter, with the
 * names that a version of Bazel has.
 *
 * <pre>LoadArchive SCENARIO ARCHIVE TABLE...</pre>
 *
 * A table (bazel-7.txt) lists the names. SCENARIO (scenario.bzl) has values for the names whose
 * behaviour matters, and says what is evaluated. Every other name is a Builtin, which accepts
 * everything that the table does not forbid. Prints a line "FAIL ..." for each fault, and for each
 * table "DONE ..." with what was evaluated.
 */
public class LoadArchive {
  private final Path archive;
  private final Module scenario;
  private final Mutability mutability = Mutability.create("LoadArchive");
  private final Map<String, Module> loaded = new HashMap<>();

  private int evaluated = 0;
  private int calls = 0;

  // The table: names by kind of file; fields and parameters by name of a builtin.
  private String version = "";
  private final Map<String, Set<String>> names = new HashMap<>();
  private final Map<String, Set<String>> fields = new HashMap<>();
  private final Map<String, Set<String>> parameters = new HashMap<>();
  private final Map<String, Set<String>> files = new HashMap<>();

  private LoadArchive(Path scenario, Path archive, Path table) throws Exception {
    this.archive = archive;
    for (String line : Files.readAllLines(table)) {
      if (line.isBlank() || line.startsWith("#"))
        continue;
      String[] parts = line.split("\\s*: +", 2);
      String[] key = parts[0].split(" ");
      Set<String> words = new TreeSet<>(List.of(parts[1].trim().split(" +")));
      switch (key[0]) {
        case "version":
          version = parts[1].trim();
          break;
        case "fields":
          fields.computeIfAbsent(key[1], k -> new TreeSet<>()).addAll(words);
          break;
        case "parameters":
          parameters.computeIfAbsent(key[1], k -> new TreeSet<>()).addAll(words);
          break;
        case "file":
          files.put(key[1], words);
          break;
        default:
          names.computeIfAbsent(key[0], k -> new TreeSet<>()).addAll(words);
      }
    }
    Map<String, Object> helpers = new HashMap<>();
    helpers.put("version", version);
    helpers.put(
        "record", function("record", (thread, args, named) -> new Record(args.get(0), named)));
    helpers.put("partial", function("partial", (thread, args, named) -> new Partial(args)));
    this.scenario = evaluate(Files.readString(scenario), "scenario.bzl", helpers, false);
  }

  public static void main(String[] args) throws Exception {
    for (String table : List.of(args).subList(2, args.length)) {
      new LoadArchive(Path.of(args[0]), Path.of(args[1]), Path.of(table)).run();
    }
  }

  private void run() throws Exception {
    Map<String, Object> self = new HashMap<>();
    self.put("version", version);
    self.put("files", StarlarkList.immutableCopyOf(archiveFiles()));
    self.put("names",
        function("names",
            (t, args,
                named) -> StarlarkList.immutableCopyOf(files.getOrDefault(args.get(0), Set.of()))));
    self.put("read", function("read", (t, args, named) -> read((String) args.get(0))));
    self.put("globals",
        function("globals", (t, args, named) -> globals(load((String) args.get(0), ""))));
    self.put("evaluate",
        function("evaluate",
            (t, args, named)
                -> evaluate((String) args.get(0), (String) args.get(1),
                       predeclared((String) args.get(2)), !args.get(2).equals("bzl"))
                != null));
    self.put("attempt", function("attempt", (t, args, named) -> attempt(t, args, named)));
    self.put("fail", function("fail", (t, args, named) -> fault((String) args.get(0))));
    scenarioCall("check", new Record("bazel", self));
    System.out.println("DONE " + evaluated + " files, " + calls + " calls");
  }

  private Object scenarioCall(String name, Object... args)
      throws EvalException, InterruptedException {
    return Starlark.call(thread(mutability, ""), scenario.getGlobal(name), List.of(args), Map.of());
  }

  /** Calls args[1]. Returns its failure, and reports it as one of args[0] unless that is empty. */
  private Object attempt(StarlarkThread thread, Tuple args, Dict<String, Object> named)
      throws InterruptedException {
    ++calls;
    try {
      Starlark.call(thread, args.get(1), args.subList(2, args.size()), named);
      return "";
    } catch (EvalException e) {
      if (!args.get(0).equals(""))
        fault(args.get(0) + ": " + e.getMessageWithStack());
      return e.getMessageWithStack();
    }
  }

  private Object fault(String text) {
    System.out.println("FAIL Bazel " + version + ": " + text.strip().replace("\n", "\n     "));
    return Starlark.NONE;
  }

  private List<String> archiveFiles() throws IOException {
    List<String> found = new ArrayList<>();
    try (var paths = Files.walk(archive)) {
      paths.filter(Files::isRegularFile)
          .forEach(path -> found.add(archive.relativize(path).toString()));
    }
    found.sort(null);
    return found;
  }

  private String read(String path) throws EvalException {
    try {
      return Files.readString(archive.resolve(path));
    } catch (IOException e) {
      throw Starlark.errorf("%s: no such file", path);
    }
  }

  /** Globals of a module, also those that a load would not export; empty if it did not load. */
  private static Object globals(Module module) {
    return module == null ? Dict.empty() : Dict.immutableCopyOf(module.getGlobals());
  }

  private StarlarkThread thread(Mutability owner, String path) {
    StarlarkThread thread = new StarlarkThread(owner, StarlarkSemantics.DEFAULT);
    thread.setPrintHandler((t, text) -> {});
    thread.setLoader(label -> load(label, path));
    return thread;
  }

  /** The module of a label in the file `from`; null after a fault. */
  private Module load(String label, String from) {
    try {
      Record resolved = (Record) scenarioCall("resolve", label, from);
      String key = (String) resolved.getValue("key");
      if (!loaded.containsKey(key)) {
        loaded.put(key, null); // a cycle is a fault
        Object text = resolved.getValue("text");
        loaded.put(key,
            text instanceof String ? evaluate((String) text, key, predeclared("bzl"), false)
                                   : external((Iterable<?>) resolved.getValue("names")));
      }
      return loaded.get(key);
    } catch (Exception e) {
      fault(from + ": cannot load '" + label + "': " + e.getMessage());
      return null;
    }
  }

  /** A module whose names have no known behaviour. */
  private Module external(Iterable<?> exported) throws Exception {
    StringBuilder text = new StringBuilder();
    Map<String, Object> values = new HashMap<>();
    for (Object name : exported) {
      values.put("_" + name, new Builtin("loaded " + name));
      text.append(name + " = _" + name + "\n");
    }
    return evaluate(text.toString(), "external", values, false);
  }

  private Map<String, Object> predeclared(String kind) throws EvalException {
    Map<String, Object> environment = new HashMap<>();
    for (String name : names.getOrDefault(kind, Set.of())) environment.put(name, builtin(name));
    return environment;
  }

  /** The scenario's value for a name, else one without behaviour. */
  private Object builtin(String name) throws EvalException {
    Object fake = ((Dict<?, ?>) scenario.getGlobal("FAKES")).get(name);
    return fake != null && !parameters.containsKey(name) ? fake : new Builtin(name);
  }

  private Module evaluate(
      String text, String path, Map<String, Object> predeclared, boolean isBuild) {
    Module module = Module.withPredeclared(StarlarkSemantics.DEFAULT, predeclared);
    FileOptions options = FileOptions.builder()
                              .requireLoadStatementsFirst(!isBuild)
                              .allowToplevelRebinding(isBuild)
                              .build();
    try (Mutability own = Mutability.create(path)) {
      StarlarkFile file = StarlarkFile.parse(ParserInput.fromString(text, path), options);
      Program program = Program.compileFile(file, module);
      checkFields(file, predeclared);
      Starlark.execFileProgram(
          program, module, thread(path.equals("scenario.bzl") ? mutability : own, path));
      ++evaluated;
      return module;
    } catch (SyntaxError.Exception e) {
      e.errors().forEach(error -> fault(error.toString()));
    } catch (EvalException e) {
      // The file that did not load has its own line.
      if (!e.getMessage().contains("was not correctly loaded"))
        fault(path + ": " + e.getMessageWithStack());
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return null;
  }

  /** Reports fields that a builtin lacks, also in functions that are not called here. */
  private void checkFields(StarlarkFile file, Map<String, Object> predeclared) {
    new NodeVisitor() {
      @Override
      public void visit(DotExpression node) {
        super.visit(node);
        if (!(node.getObject() instanceof Identifier))
          return;
        Identifier object = (Identifier) node.getObject();
        String field = node.getField().getName();
        boolean isGlobal = object.getBinding() != null
            && object.getBinding().getScope() == Resolver.Scope.PREDECLARED;
        Set<String> known = fields.get(object.getName());
        if (isGlobal && predeclared.containsKey(object.getName()) && known != null
            && !known.contains(field)) {
          fault(node.getStartLocation() + ": '" + object.getName() + "' has no field '" + field
              + "'");
        }
      }
    }.visit(file);
  }

  private interface Body {
    Object call(StarlarkThread thread, Tuple args, Dict<String, Object> named)
        throws EvalException, InterruptedException;
  }

  private static StarlarkCallable function(String name, Body body) {
    return new StarlarkCallable() {
      @Override
      public String getName() {
        return name;
      }
      @Override
      public Object call(StarlarkThread thread, Tuple args, Dict<String, Object> named)
          throws EvalException, InterruptedException {
        return body.call(thread, args, named);
      }
    };
  }

  /** A function with its first arguments: the interpreter of Bazel 4 has no nested functions. */
  private static class Partial implements StarlarkCallable {
    private final Tuple bound;
    Partial(Tuple bound) {
      this.bound = bound;
    }
    @Override
    public String getName() {
      return ((StarlarkCallable) bound.get(0)).getName();
    }
    @Override
    public Object call(StarlarkThread thread, Tuple args, Dict<String, Object> named)
        throws EvalException, InterruptedException {
      List<Object> all = new ArrayList<>(bound.subList(1, bound.size()));
      all.addAll(args);
      return Starlark.call(thread, bound.get(0), all, named);
    }
  }

  /** A value with a text and fields. */
  private static class Record implements Structure {
    private final Object text;
    private final Map<String, Object> values;
    Record(Object text, Map<String, Object> values) {
      this.text = text;
      this.values = new HashMap<>(values);
    }
    @Override
    public Object getValue(String name) {
      return values.get(name);
    }
    @Override
    public com.google.common.collect.ImmutableList<String> getFieldNames() {
      return com.google.common.collect.ImmutableList.copyOf(new TreeSet<>(values.keySet()));
    }
    @Override
    public String getErrorMessageForUnknownField(String name) {
      return "'" + text + "' has no field '" + name + "'";
    }
    @Override
    public void repr(Printer printer) {
      printer.append(text.toString());
    }
    @Override
    public boolean isImmutable() {
      return true;
    }
  }

  /**
   * A builtin without behaviour: only its fields and parameters are known, where the table has
   * them.
   */
  private class Builtin
      implements Structure, StarlarkCallable, StarlarkIterable<Object>, HasBinary {
    private final String name;
    Builtin(String name) {
      this.name = name;
    }
    @Override
    public String getName() {
      return name;
    }
    @Override
    public Object getValue(String field) throws EvalException {
      return fields.containsKey(name) && !fields.get(name).contains(field)
          ? null
          : builtin(name + "." + field);
    }
    @Override
    public com.google.common.collect.ImmutableList<String> getFieldNames() {
      return com.google.common.collect.ImmutableList.copyOf(fields.getOrDefault(name, Set.of()));
    }
    @Override
    public String getErrorMessageForUnknownField(String field) {
      return "'" + name + "' has no field '" + field + "'";
    }
    @Override
    public Object call(StarlarkThread thread, Tuple args, Dict<String, Object> named)
        throws EvalException, InterruptedException {
      if (names.getOrDefault("removed", Set.of()).contains(name.replace("native.", ""))) {
        throw Starlark.errorf("%s is removed from this Bazel; load it", name);
      }
      for (String parameter : named.keySet()) {
        if (parameters.containsKey(name) && !parameters.get(name).contains(parameter)) {
          throw Starlark.errorf("%s() has no parameter '%s'", name, parameter);
        }
      }
      Object fake = ((Dict<?, ?>) scenario.getGlobal("FAKES")).get(name);
      return fake == null ? new Builtin(name + "()") : Starlark.call(thread, fake, args, named);
    }
    @Override
    public Iterator<Object> iterator() {
      return List.of().iterator();
    }
    @Override
    public Object binaryOp(TokenKind operator, Object that, boolean isLeft) {
      return this;
    }
    @Override
    public void repr(Printer printer) {
      printer.append("<" + name + ">");
    }
    @Override
    public boolean isImmutable() {
      return true;
    }
  }
}
