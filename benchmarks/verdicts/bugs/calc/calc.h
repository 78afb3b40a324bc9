#pragma once

#include <stddef.h>

enum token_kind { TOKEN_END, TOKEN_NUMBER, TOKEN_NAME, TOKEN_SIGN };

struct token {
  enum token_kind kind;
  long number;
  char text[16];
};

struct lexer {
  const char* at;
  struct token peeked;
  int has_peeked;
};

enum { NODE_NUMBER, NODE_NAME, NODE_CALL, NODE_ADD, NODE_SUB, NODE_MUL, NODE_LESS };

struct node {
  int kind;
  long number;
  int symbol;
  struct node* left;
  struct node* right;
};

struct function {
  int symbol;
  char* text;
  struct node* body;
  int parameter;
};

struct interpreter {
  char* names[256];
  int name_count;
  struct function functions[64];
  int function_count;
  long values[256];
  long steps;
};

struct token peek(struct lexer* lexer);
struct token next(struct lexer* lexer);
int intern(struct interpreter* it, const char* name);
struct node* parse(struct interpreter* it, struct lexer* lexer);
void free_node(struct node* node);
void define(struct interpreter* it, const char* name, const char* parameter, const char* text);
long call(struct interpreter* it, int symbol, long argument);
long evaluate(struct interpreter* it, const struct node* node);
