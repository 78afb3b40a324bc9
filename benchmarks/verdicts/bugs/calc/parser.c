#include <stdlib.h>
#include <string.h>

#include "calc.h"

static struct node* new_node(int kind, struct node* left, struct node* right) {
  struct node* node = calloc(1, sizeof *node);
  node->kind = kind;
  node->left = left;
  node->right = right;
  return node;
}

int intern(struct interpreter* it, const char* name) {
  for (int i = 0; i < it->name_count; ++i) {
    if (strcmp(it->names[i], name) == 0) return i;
  }
  it->names[it->name_count] = strdup(name);
  return it->name_count++;
}

static struct node* parse_primary(struct interpreter* it, struct lexer* lexer) {
  const struct token token = next(lexer);
  if (token.kind == TOKEN_NUMBER) {
    struct node* node = new_node(NODE_NUMBER, NULL, NULL);
    node->number = token.number;
    return node;
  }
  if (token.kind == TOKEN_NAME) {
    struct node* node = new_node(NODE_NAME, NULL, NULL);
    node->symbol = intern(it, token.text);
    if (peek(lexer).text[0] == '(') {
      next(lexer);
      node->kind = NODE_CALL;
      node->left = parse(it, lexer);
      next(lexer);
    }
    return node;
  }
  struct node* inner = parse(it, lexer);
  next(lexer);
  return inner;
}

static struct node* folded(int kind, struct node* left, struct node* right) {
  if (left->kind == NODE_NUMBER && right->kind == NODE_NUMBER && kind == NODE_MUL) {
    left->number *= right->number;
    free_node(right);
    return left;
  }
  return new_node(kind, left, right);
}

static struct node* parse_product(struct interpreter* it, struct lexer* lexer) {
  struct node* left = parse_primary(it, lexer);
  while (peek(lexer).text[0] == '*') {
    next(lexer);
    left = folded(NODE_MUL, left, parse_primary(it, lexer));
  }
  return left;
}

struct node* parse(struct interpreter* it, struct lexer* lexer) {
  struct node* left = parse_product(it, lexer);
  for (;;) {
    const char sign = peek(lexer).text[0];
    const int kind = sign == '+' ? NODE_ADD : sign == '-' ? NODE_SUB : sign == '<' ? NODE_LESS : -1;
    if (kind < 0) return left;
    next(lexer);
    left = folded(kind, left, parse_product(it, lexer));
  }
}

void free_node(struct node* node) {
  if (node == NULL) return;
  free_node(node->left);
  free_node(node->right);
  free(node);
}
