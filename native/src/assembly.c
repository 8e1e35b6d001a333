/* Reads the lines of a program, one after the other, without an allocation. */
#include "assembly.h"

#include <string.h>

/* What a byte may be in front of a comment: bits. */
enum byte_class { SPACE = 1, MARK = 2, FOREIGN = 4 };

typedef struct {
    const uint8_t *text;
    int64_t length;
} word;

typedef struct {
    const ls_asm_lines *call;
    uint8_t classes[256];
    int64_t patterns;
} reader;

/* One line while it is read: its opcode, then its operands. */
typedef struct {
    word words[1 + LS_ASM_OPERANDS];
    int32_t count;
    int32_t odd;
    int64_t comment; /* first byte behind the mark, -1: none */
} parts;

static word word_at(const ls_asm_words *words, int64_t k)
{
    return (word){words->text + words->first[k], words->first[k + 1] - words->first[k]};
}

static int same(word a, word b)
{
    return a.length == b.length && memcmp(a.text, b.text, (size_t)a.length) == 0;
}

static uint64_t mix(uint64_t h, uint64_t value)
{
    h = (h ^ value) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 32);
}

/* Of the first and last bytes: the words of an instruction set differ there. */
static uint64_t hash_word(word w)
{
    uint64_t first = 0, last = 0;
    size_t bytes = w.length < 8 ? (size_t)w.length : 8;
    memcpy(&first, w.text, bytes);
    memcpy(&last, w.text + w.length - (int64_t)bytes, bytes);
    return mix(mix((uint64_t)w.length, first), last);
}

static uint64_t hash_pattern(const ls_asm_pattern *p)
{
    uint64_t h = mix(p->kinds, (uint64_t)p->opcode);
    for (int32_t k = 0; k < LS_ASM_OPERANDS && p->kinds >> (8 * k) != 0; k++)
        h = mix(h, (uint64_t)p->values[k]);
    return h;
}

static void prepare(reader *r)
{
    const ls_asm_lines *call = r->call;
    static const uint8_t spaces[] = " ,\t\v\f\r\x1c\x1d\x1e\x1f";
    memset(r->classes + 128, FOREIGN, 128);
    for (size_t k = 0; k + 1 < sizeof spaces; k++)
        r->classes[spaces[k]] = SPACE;
    for (int64_t k = 0; k < call->marks.count; k++)
        r->classes[word_at(&call->marks, k).text[0]] |= MARK;
    uint64_t mask = (uint64_t)call->opcode_slots - 1;
    for (int64_t k = 0; k < call->opcodes.count; k++) {
        uint64_t slot = hash_word(word_at(&call->opcodes, k)) & mask;
        while (call->opcode_table[slot] != 0)
            slot = (slot + 1) & mask;
        call->opcode_table[slot] = (int32_t)k + 1;
    }
}

/* Number of an opcode, -1 where there is none of that name. */
static int32_t find_opcode(const ls_asm_lines *call, word name)
{
    uint64_t mask = (uint64_t)call->opcode_slots - 1;
    uint64_t slot = hash_word(name) & mask;
    for (; call->opcode_table[slot] != 0; slot = (slot + 1) & mask) {
        int32_t k = call->opcode_table[slot] - 1;
        if (same(word_at(&call->opcodes, k), name))
            return k;
    }
    return -1;
}

/* Bytes of the mark that begins here, 0: none does. */
static int64_t mark_at(const ls_asm_lines *call, const uint8_t *at, const uint8_t *end)
{
    for (int64_t k = 0; k < call->marks.count; k++) {
        word mark = word_at(&call->marks, k);
        if (mark.length <= end - at && memcmp(mark.text, at, (size_t)mark.length) == 0)
            return mark.length;
    }
    return 0;
}

/* Ends the word that began at `first`, if one did. */
static void add_word(parts *line, const uint8_t *first, const uint8_t *at)
{
    if (first == NULL)
        return;
    if (line->count <= LS_ASM_OPERANDS)
        line->words[line->count] = (word){first, at - first};
    line->count++;
}

/* Takes a line apart, up to its comment. */
static void split(const reader *r, const uint8_t *at, const uint8_t *end, parts *line)
{
    const uint8_t *classes = r->classes, *first = NULL;
    line->count = line->odd = 0;
    line->comment = -1;
    while (at < end) {
        if (classes[*at] == 0) {
            first = first != NULL ? first : at;
            while (++at < end && classes[*at] == 0)
                ;
            continue;
        }
        int64_t mark = classes[*at] & MARK ? mark_at(r->call, at, end) : 0;
        if (classes[*at] & FOREIGN) {
            line->odd = 1;
            return;
        }
        if (mark > 0) {
            line->comment = at + mark - r->call->text;
            break;
        }
        if (classes[*at] & SPACE) {
            add_word(line, first, at);
            first = NULL;
        } else if (first == NULL) {
            first = at;
        }
        at++;
    }
    add_word(line, first, at);
    line->odd = line->count > 1 + LS_ASM_OPERANDS;
}

/* Moves to the comment's first visible byte; a comment without one is none, unless it has bytes
 * that only the caller can tell from spaces. */
static void trim_comment(const reader *r, const uint8_t *end, parts *line)
{
    if (line->comment < 0)
        return;
    int64_t first = -1;
    int32_t foreign = 0;
    for (const uint8_t *at = r->call->text + line->comment; at < end; at++) {
        if (r->classes[*at] & SPACE && *at != ',')
            continue;
        if (first < 0)
            first = at - r->call->text;
        foreign = *at >= 128;
        if (!foreign)
            break;
    }
    line->comment = first;
    line->odd |= foreign;
}

static int32_t digit(uint8_t byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    byte |= 0x20;
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : 16;
}

/* Reads digits of a base to the word's end; 0 where there are none, others, or too many. */
static int read_digits(word w, int64_t from, uint64_t base, int64_t *value)
{
    uint64_t sum = 0;
    if (from >= w.length)
        return 0;
    for (int64_t k = from; k < w.length; k++) {
        uint64_t next = (uint64_t)digit(w.text[k]);
        if (next >= base || sum > ((uint64_t)INT64_MAX - next) / base)
            return 0;
        sum = sum * base + next;
    }
    *value = (int64_t)sum;
    return 1;
}

/* Kind and value of an operand; LS_ASM_ABSENT where it is neither number nor register. */
static uint64_t read_operand(const ls_asm_lines *call, word w, int64_t *value)
{
    int64_t from = w.text[0] == '-';
    if (from < w.length && digit(w.text[from]) < 10) {
        int hex = w.length - from > 2 && w.text[from] == '0' && (w.text[from + 1] | 0x20) == 'x';
        if (!read_digits(w, hex ? from + 2 : from, hex ? 16 : 10, value))
            return LS_ASM_ABSENT;
        *value = from ? -*value : *value;
        return LS_ASM_NUMBER;
    }
    while (from < w.length && digit(w.text[from]) >= 10)
        from++;
    if (!read_digits(w, from, 10, value))
        return LS_ASM_ABSENT;
    for (int64_t k = 0; k < call->files.count; k++)
        if (same(word_at(&call->files, k), (word){w.text, from}))
            return *value < call->registers[k] ? (uint64_t)(LS_ASM_REGISTER + k) : LS_ASM_ABSENT;
    return LS_ASM_ABSENT;
}

/* Reads opcode and operands; 0 where the caller has to. */
static int read_pattern(const ls_asm_lines *call, const parts *line, ls_asm_pattern *p,
                        int64_t *open)
{
    int32_t opcode = find_opcode(call, line->words[0]);
    if (opcode < 0)
        return 0;
    const ls_asm_form *form = &call->forms[opcode];
    int32_t operands = line->count - 1;
    if ((form->counts >> operands & 1) == 0)
        return 0;
    *p = (ls_asm_pattern){.opcode = opcode};
    for (int32_t k = 0; k < operands; k++) {
        uint64_t kind = read_operand(call, line->words[k + 1], &p->values[k]);
        if ((form->kinds[k] >> kind & 1) == 0)
            return 0;
        p->kinds |= kind << (8 * k);
        if (k == form->open && kind == LS_ASM_NUMBER) {
            *open = p->values[k];
            p->values[k] = 0;
        }
    }
    return 1;
}

static int equal(const ls_asm_pattern *a, const ls_asm_pattern *b)
{
    return a->opcode == b->opcode && a->kinds == b->kinds &&
           memcmp(a->values, b->values, sizeof a->values) == 0;
}

/* Number of a pattern, a new one where it was not met before. */
static int32_t number_of(reader *r, const ls_asm_pattern *p)
{
    const ls_asm_lines *call = r->call;
    uint64_t mask = (uint64_t)call->pattern_slots - 1;
    uint64_t slot = hash_pattern(p) & mask;
    for (; call->pattern_table[slot] != 0; slot = (slot + 1) & mask)
        if (equal(&call->patterns[call->pattern_table[slot]], p))
            return call->pattern_table[slot];
    call->patterns[r->patterns] = *p;
    call->pattern_table[slot] = (int32_t)r->patterns;
    return (int32_t)r->patterns++;
}

static void read_row(reader *r, int64_t row, const uint8_t *at, const uint8_t *end)
{
    const ls_asm_lines *call = r->call;
    parts line;
    ls_asm_pattern pattern;
    int32_t which = LS_ASM_NOTHING;
    int64_t open = 0;
    split(r, at, end, &line);
    if (!line.odd)
        trim_comment(r, end, &line);
    if (line.odd)
        which = LS_ASM_ODD;
    else if (line.count > 0)
        which = read_pattern(call, &line, &pattern, &open) ? number_of(r, &pattern) : LS_ASM_ODD;
    call->which[row] = which;
    call->start[row] = (int32_t)(at - call->text);
    call->column[row] = line.count > 0 ? (int32_t)(line.words[0].text - at) + 1 : 1;
    call->comment[row] = which == LS_ASM_ODD ? -1 : (int32_t)line.comment;
    call->number[row] = which == LS_ASM_ODD ? 0 : open;
}

int64_t ls_asm_read(const ls_asm_lines *lines)
{
    reader r = {.call = lines, .patterns = LS_ASM_FIRST};
    const uint8_t *at = lines->text, *end = lines->text + lines->length;
    prepare(&r);
    lines->patterns[LS_ASM_NOTHING] = (ls_asm_pattern){.opcode = -1};
    lines->patterns[LS_ASM_ODD] = (ls_asm_pattern){.opcode = -2};
    for (int64_t row = 0; row < lines->rows; row++) {
        const uint8_t *newline = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
        const uint8_t *stop = newline != NULL ? newline : end;
        read_row(&r, row, at, stop);
        at = newline != NULL ? newline + 1 : end;
    }
    return r.patterns;
}
