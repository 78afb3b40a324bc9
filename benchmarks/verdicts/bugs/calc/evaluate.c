#include <stdlib.h>
#include <string.h>

#include "calc.h"

void define(struct interpreter* it, const char* name, const char* parameter, const char* text) {
  struct function* function = &it->functions[it->function_count++];
  function->symbol = intern(it, name);
  function->parameter = intern(it, parameter);
  function->text = strdup(text);
  function->body = NULL;
}

static struct function* find_function(struct interpreter* it, int symbol) {
  for (int i = 0; i < it->function_count; ++i) {
    if (it->functions[i].symbol == symbol) return &it->functions[i];
  }
  abort();
}

static const struct node* body_of(struct interpreter* it, struct function* function) {
  if (function->body == NULL) {
    struct lexer lexer = {.at = function->text};
    function->body = parse(it, &lexer);
  }
  return function->body;
}

long call(struct interpreter* it, int symbol, long argument) {
  struct function* function = find_function(it, symbol);
  const long saved = it->values[function->parameter];
  it->values[function->parameter] = argument;
  const long result = evaluate(it, body_of(it, function));
  it->values[function->parameter] = saved;
  return result;
}

long evaluate(struct interpreter* it, const struct node* node) {
  ++it->steps;
  switch (node->kind) {
    case NODE_NUMBER:
      return node->number;
    case NODE_NAME:
      return it->values[node->symbol];
    case NODE_CALL:
      return call(it, node->symbol, evaluate(it, node->left));
    case NODE_ADD:
      return evaluate(it, node->left) + evaluate(it, node->right);
    case NODE_SUB:
      return evaluate(it, node->left) - evaluate(it, node->right);
    case NODE_MUL: {
      const long left = evaluate(it, node->left);
      return left == 0 ? 0 : left * evaluate(it, node->right);
    }
    default:
      return evaluate(it, node->left) < evaluate(it, node->right);
  }
}
