/* Finds the members of a JSON object or array without building anything: where keys and values lie. */
#include "json_scan.h"

static int read_member(cursor *c, int is_object, ls_json_member *member)
{
    skip_space(c);
    *member = (ls_json_member){0, 0, 0, 0};
    if (is_object) {
        member->key = c->at;
        if (peek(c) != '"' || !skip_string(c))
            return 0;
        member->key_length = c->at - member->key;
        if (!take(c, ':'))
            return 0;
        skip_space(c);
    }
    member->value = c->at;
    if (!skip_value(c))
        return 0;
    member->value_length = c->at - member->value;
    return 1;
}

/* Whether the text has ended but for white space. */
static int at_end(cursor *c)
{
    skip_space(c);
    return c->at >= c->length;
}

int64_t ls_json_members(const uint8_t *text, int64_t length, int64_t *position,
                        ls_json_member *members, int64_t most)
{
    cursor c = {text, length, 0, LS_JSON_OK};
    int64_t found = 0;
    uint8_t opening = peek(&c), closing = opening == '{' ? '}' : ']';
    if (opening != '{' && opening != '[')
        return -1;
    c.at++;
    if (*position > 0) {
        c.at = *position;
    } else if (peek(&c) == closing) {
        c.at++;
        *position = -1;
        return at_end(&c) ? 0 : -1;
    }
    for (;;) {
        if (found == most) {
            *position = c.at;
            return found;
        }
        if (!read_member(&c, opening == '{', &members[found]))
            return -1;
        found++;
        if (peek(&c) != ',')
            break;
        c.at++;
    }
    *position = -1;
    return take(&c, closing) && at_end(&c) ? found : -1;
}
