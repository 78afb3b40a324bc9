// Workload of LibYAML: events, documents with anchors, block and flow styles, read and written. The
// argument is how often.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "yaml.h"

static unsigned seed = 1;
static unsigned long total;

static unsigned random_below(unsigned n) {
  seed = seed * 1103515245u + 12345u;
  return (seed >> 16) % n;
}

static size_t make_text(char* text, size_t room) {
  size_t at = (size_t)snprintf(
      text, room,
      "%%YAML 1.1\n---\n# services\ndefaults: &defaults {retries: 3, hosts: [a, b, \"c d\"]}\n");
  for (int i = 0; i < 60; ++i) {
    at += (size_t)snprintf(text + at, room - at,
                           "service%d:\n  <<: *defaults\n  name: 'it''s number %u'\n  weight: "
                           "%u.5\n  ports:\n    - %u\n    - 443\n"
                           "  text: |\n    first line %u\n    second line\n  folded: >-\n    some "
                           "words that\n    go on\n  ? complex\n  : \"gr\\u00fc\\xdf \\t%u\"\n",
                           i, random_below(100), random_below(50), 1000 + random_below(9000),
                           random_below(10), random_below(10));
  }
  at += (size_t)snprintf(text + at, room - at, "...\n--- !!set\n? x\n? y\n--- >\n the end\n");
  return at;
}

static void fail(const char* what) {
  fprintf(stderr, "%s\n", what);
  exit(1);
}

static void read_events(const char* text, size_t size) {
  yaml_parser_t parser;
  yaml_event_t event;
  if (!yaml_parser_initialize(&parser)) fail("parser");
  yaml_parser_set_input_string(&parser, (const unsigned char*)text, size);
  int is_last = 0;
  while (!is_last) {
    if (!yaml_parser_parse(&parser, &event)) fail(parser.problem);
    if (event.type == YAML_SCALAR_EVENT)
      total += event.data.scalar.length * 3 + (unsigned long)event.data.scalar.style;
    total += (unsigned long)event.type + event.start_mark.line;
    is_last = event.type == YAML_STREAM_END_EVENT;
    yaml_event_delete(&event);
  }
  yaml_parser_delete(&parser);
}

static void copy_documents(const char* text, size_t size, char* out, size_t room,
                           int is_canonical) {
  yaml_parser_t parser;
  yaml_emitter_t emitter;
  yaml_document_t document;
  size_t written = 0;
  if (!yaml_parser_initialize(&parser) || !yaml_emitter_initialize(&emitter)) fail("initialize");
  yaml_parser_set_input_string(&parser, (const unsigned char*)text, size);
  yaml_emitter_set_output_string(&emitter, (unsigned char*)out, room, &written);
  yaml_emitter_set_canonical(&emitter, is_canonical);
  yaml_emitter_set_unicode(&emitter, 1);
  yaml_emitter_open(&emitter);
  for (;;) {
    if (!yaml_parser_load(&parser, &document)) fail(parser.problem);
    if (!yaml_document_get_root_node(&document)) break;
    total += (unsigned long)(document.nodes.top - document.nodes.start);
    if (!yaml_emitter_dump(&emitter, &document)) fail(emitter.problem);
  }
  yaml_document_delete(&document);
  yaml_emitter_close(&emitter);
  yaml_emitter_delete(&emitter);
  yaml_parser_delete(&parser);
  total += written;
}

int main(int count, char** arguments) {
  static char text[40000], out[200000];
  const int rounds = count > 1 ? atoi(arguments[1]) : 1;
  for (int round = 0; round < rounds; ++round) {
    const size_t size = make_text(text, sizeof text);
    read_events(text, size);
    copy_documents(text, size, out, sizeof out, round % 2);
  }
  printf("%lu\n", total);
  return 0;
}
