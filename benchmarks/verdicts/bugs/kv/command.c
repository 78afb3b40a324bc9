#include "command.h"

#include <ctype.h>
#include <string.h>

enum { MOST_WORDS = 4, LONGEST = 64 };

struct words {
  char text[MOST_WORDS][LONGEST];
  int count;
};

static void split(const char* line, struct words* words) {
  const size_t length = strlen(line);
  size_t used = 0;
  words->count = 0;
  for (size_t i = 0; i <= length; ++i) {
    if (i < length && !isspace((unsigned char)line[i])) {
      if (used + 1 < LONGEST) words->text[words->count][used++] = line[i];
    } else if (used > 0) {
      words->text[words->count++][used] = '\0';
      used = 0;
      if (words->count == MOST_WORDS) return;
    }
  }
}

static int is_name(const char* text) {
  for (; *text != '\0'; ++text) {
    if (!isalnum((unsigned char)*text) && *text != '.') return 0;
  }
  return 1;
}

static size_t set(struct store* store, struct log* log, const struct words* words) {
  char record[2 * LONGEST + 2];
  if (!is_name(words->text[1])) return 0;
  store_set(store, words->text[1], words->text[2]);
  strcpy(record, words->text[1]);
  strcat(record, "=");
  strcat(record, words->text[2]);
  log_append(log, record, strlen(record));
  return 2;
}

static size_t get(struct store* store, const struct words* words) {
  const char* value = store_get(store, words->text[1]);
  return value != NULL ? strlen(value) : 0;
}

size_t run_command(struct store* store, struct log* log, const char* line) {
  struct words words;
  split(line, &words);
  if (words.count == 3 && strcmp(words.text[0], "set") == 0) return set(store, log, &words);
  if (words.count == 2 && strcmp(words.text[0], "get") == 0) return get(store, &words);
  return 0;
}
