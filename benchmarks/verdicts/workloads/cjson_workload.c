// Workload of cJSON: parsing, printing, looking up, copying, comparing and editing documents of
// records that nest. The argument is how often.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cJSON.h"

static unsigned seed = 1;

static unsigned random_below(unsigned n) {
  seed = seed * 1103515245u + 12345u;
  return (seed >> 16) % n;
}

static cJSON* make_record(int number, int depth) {
  static const char* const kWords[] = {"alpha", "be\"ta", "gamma\n", "delta", "epsilon", "zeta\\"};
  cJSON* record = cJSON_CreateObject();
  cJSON_AddNumberToObject(record, "id", number);
  cJSON_AddStringToObject(record, "name", kWords[random_below(6)]);
  cJSON_AddNumberToObject(record, "weight", random_below(1000) / 7.0);
  cJSON_AddBoolToObject(record, "active", random_below(2));
  cJSON* tags = cJSON_AddArrayToObject(record, "tags");
  for (unsigned i = random_below(4); i > 0; --i) {
    cJSON_AddItemToArray(tags, cJSON_CreateString(kWords[random_below(6)]));
  }
  if (depth > 0) {
    cJSON* children = cJSON_AddArrayToObject(record, "children");
    for (int i = 0; i < 2; ++i) cJSON_AddItemToArray(children, make_record(number + i, depth - 1));
  }
  return record;
}

static double sum_weights(const cJSON* record) {
  double sum = cJSON_GetObjectItem(record, "weight")->valuedouble;
  if (cJSON_IsTrue(cJSON_GetObjectItem(record, "active"))) sum += 1;
  const cJSON* child;
  cJSON_ArrayForEach(child, cJSON_GetObjectItem(record, "children")) sum += sum_weights(child);
  return sum;
}

static double visit(const cJSON* list) {
  double sum = 0;
  for (int i = 0; i < cJSON_GetArraySize(list); ++i)
    sum += sum_weights(cJSON_GetArrayItem(list, i));
  return sum;
}

static void edit(cJSON* list) {
  for (int i = 0; i < cJSON_GetArraySize(list); i += 3) {
    cJSON* record = cJSON_GetArrayItem(list, i);
    cJSON_ReplaceItemInObject(record, "name", cJSON_CreateString("renamed"));
    cJSON_DeleteItemFromObject(record, "tags");
  }
}

int main(int count, char** arguments) {
  const int rounds = count > 1 ? atoi(arguments[1]) : 20;
  double sum = 0;
  for (int round = 0; round < rounds; ++round) {
    cJSON* list = cJSON_CreateArray();
    for (int i = 0; i < 60; ++i) cJSON_AddItemToArray(list, make_record(i, 3));
    char* text = round % 2 ? cJSON_Print(list) : cJSON_PrintUnformatted(list);
    cJSON* parsed = cJSON_Parse(text);
    sum += visit(parsed);
    cJSON* copy = cJSON_Duplicate(parsed, 1);
    if (!cJSON_Compare(parsed, copy, round % 4 == 0)) return 1;
    edit(copy);
    sum += cJSON_Compare(parsed, copy, 1);
    cJSON_Minify(text);
    free(text);
    cJSON_Delete(copy);
    cJSON_Delete(parsed);
    cJSON_Delete(list);
  }
  printf("%.3f\n", sum);
  return 0;
}
