"""C++ code from .proto files, made by Debian's protoc and gRPC plugin."""

def cc_proto(name, srcs, deps = [], grpc = False):
    """A cc_library of the messages in `srcs`, with their services if grpc is set.

    The generated sources are compiled as one: nine tenths of each are the headers that all have.

    Args:
      name: the library; include "proto/<one of srcs without .proto>.pb.h".
      srcs: .proto files of this package.
      deps: cc_proto libraries of the imported files.
      grpc: whether to generate services too ("….grpc.pb.h").
    """
    kinds = [".pb", ".grpc.pb"] if grpc else [".pb"]
    stems = [src[:-len(".proto")] + kind for src in srcs for kind in kinds]
    headers = [stem + ".h" for stem in stems]
    sources = [stem + ".cc" for stem in stems]
    command = "protoc --proto_path=. --cpp_out=$(BINDIR) "
    if grpc:
        command += "--grpc_out=$(BINDIR) --plugin=protoc-gen-grpc=/usr/bin/grpc_cpp_plugin "
    command += " ".join(["proto/" + src for src in srcs])

    # These two names each source has for itself.
    command += " && cd $(RULEDIR) && for source in %s; do " % " ".join(sources)
    command += "sed -E \"s/\\\\b(schemas|file_default_instances)\\\\b/$${source%%.*}_&/g\" $$source; "
    command += "done >%s.pb.cc" % name
    native.genrule(
        name = name + "_generate",
        srcs = native.glob(["*.proto"]),
        outs = headers + sources + [name + ".pb.cc"],
        cmd = command,
        visibility = ["//visibility:private"],
    )
    native.cc_library(
        name = name,
        srcs = [name + ".pb.cc"],
        hdrs = headers,
        copts = ["-w"],
        deps = deps + (["@grpc"] if grpc else ["@protobuf"]),
    )
