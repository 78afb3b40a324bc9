// Workload of Expat: documents with namespaces, entities, a DTD and CDATA, read in pieces and in
// another encoding. The argument is how often.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expat.h"

static unsigned seed = 1;
static unsigned long total;

static unsigned random_below(unsigned n) {
  seed = seed * 1103515245u + 12345u;
  return (seed >> 16) % n;
}

static size_t make_text(char* text, size_t room, const char* encoding) {
  size_t at = (size_t)snprintf(text, room,
                               "<?xml version=\"1.0\" encoding=\"%s\"?>\n<!DOCTYPE orders [\n"
                               "<!ELEMENT orders (order)*>\n<!ATTLIST order state CDATA \"open\">\n"
                               "<!ENTITY firm \"Smith &amp; Sons\">\n]>\n"
                               "<orders xmlns='urn:o' xmlns:p='urn:p'>\n",
                               encoding);
  for (int i = 0; i < 150; ++i) {
    at += (size_t)snprintf(text + at, room - at,
                           "  <order p:id=\"%u\" buyer='&firm; no. %u'>\n    <!-- number %d -->\n"
                           "    <p:item price=\"%u.99\" name=\"a &lt;b&gt; c\">",
                           random_below(100000), random_below(50), i, random_below(900));
    at += (size_t)snprintf(text + at, room - at,
                           "text &#65;&#x42; of %u words,\r\n over two lines</p:item>\n"
                           "    <note><![CDATA[ <raw> & %u ]]></note><?print now?><empty/>\n"
                           "  </order>\n",
                           random_below(1000), random_below(1000));
  }
  return at + (size_t)snprintf(text + at, room - at, "</orders>\n");
}

static void start(void* depth, const XML_Char* name, const XML_Char** attributes) {
  total += strlen(name) * (unsigned long)++*(int*)depth;
  for (; *attributes; attributes += 2) total += strlen(attributes[0]) + 3 * strlen(attributes[1]);
}

static void end(void* depth, const XML_Char* name) {
  total += (unsigned long)name[0];
  --*(int*)depth;
}

static void characters(void* depth, const XML_Char* text, int length) {
  total += (unsigned long)length + (unsigned char)text[0] + (unsigned long)*(int*)depth;
}

static void comment(void* depth, const XML_Char* text) {
  total += strlen(text) + (unsigned long)*(int*)depth;
}

static void read_text(const char* text, size_t size, size_t piece, int has_namespaces) {
  int depth = 0;
  XML_Parser parser = has_namespaces ? XML_ParserCreateNS(NULL, '|') : XML_ParserCreate(NULL);
  XML_SetHashSalt(parser, 1);
  XML_SetUserData(parser, &depth);
  XML_SetElementHandler(parser, start, end);
  XML_SetCharacterDataHandler(parser, characters);
  XML_SetCommentHandler(parser, comment);
  for (size_t at = 0; at < size; at += piece) {
    const size_t length = size - at < piece ? size - at : piece;
    if (XML_Parse(parser, text + at, (int)length, at + length == size) != XML_STATUS_OK) {
      fprintf(stderr, "%s\n", XML_ErrorString(XML_GetErrorCode(parser)));
      exit(1);
    }
  }
  total += (unsigned long)XML_GetCurrentLineNumber(parser);
  XML_ParserFree(parser);
}

int main(int count, char** arguments) {
  static char text[100000];
  const int rounds = count > 1 ? atoi(arguments[1]) : 1;
  for (int round = 0; round < rounds; ++round) {
    const size_t size = make_text(text, sizeof text, round % 3 == 2 ? "ISO-8859-1" : "UTF-8");
    read_text(text, size, size, round % 2);
    read_text(text, size, 500 + random_below(1000), 1);
  }
  printf("%lu\n", total);
  return 0;
}
