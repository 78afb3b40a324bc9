// Workload of cmark: CommonMark with lists, links, code, quotes and HTML, parsed, walked, changed
// and printed in all formats. The argument is how often.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmark.h"

static unsigned seed = 1;
static unsigned long total;

static unsigned random_below(unsigned n) {
  seed = seed * 1103515245u + 12345u;
  return (seed >> 16) % n;
}

static size_t make_text(char* text, size_t room) {
  size_t at = 0;
  for (int i = 0; i < 40; ++i) {
    at += (size_t)snprintf(text + at, room - at,
                           "Section %u\n%s\n\nSome *emphasised **and strong*** text with `code %u`"
                           " and [a link](/url%u \"title\"),\n![an image][ref%d] &amp; &copy; "
                           "\"quoted\" -- <http://example.org/%u>\\\nnext line.\n\n",
                           random_below(100), i % 2 ? "=====" : "---", random_below(100),
                           random_below(100), i, random_below(100));
    at += (size_t)snprintf(text + at, room - at,
                           "> quoted *text\n> over* lines\n\n%d. first\n2. second\n   - inner %u\n"
                           "   - other\n\n       indented\n3. third\n\n```c\nint x = %u;\n```\n\n"
                           "<div class=\"a\">\n%u\n</div>\n\n### Heading ###\n\n***\n\n"
                           "[ref%d]: /image%u.png 'Image'\n\n",
                           i, random_below(100), random_below(100), random_below(100), i,
                           random_below(100));
  }
  return at;
}

static void edit(cmark_node* document) {
  cmark_iter* iterator = cmark_iter_new(document);
  cmark_event_type event;
  while ((event = cmark_iter_next(iterator)) != CMARK_EVENT_DONE) {
    cmark_node* node = cmark_iter_get_node(iterator);
    total += (unsigned long)event + (unsigned long)cmark_node_get_start_line(node);
    if (event != CMARK_EVENT_ENTER) continue;
    if (cmark_node_get_type(node) == CMARK_NODE_LINK) cmark_node_set_title(node, "new title");
    if (cmark_node_get_type(node) == CMARK_NODE_HEADING) {
      cmark_node* text = cmark_node_new(CMARK_NODE_TEXT);
      cmark_node_set_literal(text, " (edited)");
      cmark_node_append_child(node, text);
    }
  }
  cmark_iter_free(iterator);
  cmark_consolidate_text_nodes(document);
}

static void add(char* printed) {
  total += strlen(printed);
  free(printed);
}

int main(int count, char** arguments) {
  static char text[60000];
  const int rounds = count > 1 ? atoi(arguments[1]) : 1;
  for (int round = 0; round < rounds; ++round) {
    const size_t size = make_text(text, sizeof text);
    const int options = round % 2 ? CMARK_OPT_SMART : CMARK_OPT_UNSAFE | CMARK_OPT_VALIDATE_UTF8;
    add(cmark_markdown_to_html(text, size, options));
    cmark_node* document = cmark_parse_document(text, size, options);
    edit(document);
    add(cmark_render_html(document, CMARK_OPT_SOURCEPOS));
    add(cmark_render_commonmark(document, options, 72));
    switch (round % 3) {
      case 0:
        add(cmark_render_xml(document, options));
        break;
      case 1:
        add(cmark_render_latex(document, options, 60));
        break;
      default:
        add(cmark_render_man(document, options, 60));
    }
    cmark_node_free(document);
  }
  printf("%lu\n", total);
  return 0;
}
