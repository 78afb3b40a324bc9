#include <ctype.h>
#include <string.h>

#include "calc.h"

static void scan(struct lexer* lexer, struct token* token) {
  memset(token, 0, sizeof *token);
  while (isspace((unsigned char)*lexer->at)) ++lexer->at;
  if (isdigit((unsigned char)*lexer->at)) {
    token->kind = TOKEN_NUMBER;
    while (isdigit((unsigned char)*lexer->at))
      token->number = token->number * 10 + (*lexer->at++ - '0');
  } else if (isalpha((unsigned char)*lexer->at)) {
    token->kind = TOKEN_NAME;
    for (size_t i = 0; isalnum((unsigned char)*lexer->at); ++lexer->at) {
      if (i + 1 < sizeof token->text) token->text[i++] = *lexer->at;
    }
  } else if (*lexer->at != '\0') {
    token->kind = TOKEN_SIGN;
    token->text[0] = *lexer->at++;
  }
}

struct token peek(struct lexer* lexer) {
  if (!lexer->has_peeked) scan(lexer, &lexer->peeked);
  lexer->has_peeked = 1;
  return lexer->peeked;
}

struct token next(struct lexer* lexer) {
  const struct token token = peek(lexer);
  lexer->has_peeked = 0;
  return token;
}
