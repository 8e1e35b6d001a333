/* The text of a program to numbers (assembly.c); native.h includes this.
 *
 * A line is an opcode and its operands, with spaces or commas between them, and a comment. A pattern
 * is what lines have in common that differ in spaces, comment and one number at most: the one that
 * the opcode leaves open. A line with anything unusual in it is left to the caller, who reads it
 * with care: a byte that is not ASCII before the comment, an unknown word, a number of more than 63
 * bits, an operand too many. No byte outside the text is read, whatever the text is. */
#ifndef LANESCOPE_ASSEMBLY_H
#define LANESCOPE_ASSEMBLY_H

#include "native.h"

#define LS_ASM_OPERANDS 8

/* What an operand is. Register file k has the kind LS_ASM_REGISTER + k. */
enum ls_asm_kind { LS_ASM_ABSENT = 0, LS_ASM_NUMBER = 1, LS_ASM_REGISTER = 2, LS_ASM_KINDS = 64 };

/* The first patterns of every program. */
enum ls_asm_pattern_number { LS_ASM_NOTHING = 0, LS_ASM_ODD = 1, LS_ASM_FIRST = 2 };

/* Words: word k is the bytes from first[k] to first[k + 1]. */
typedef struct {
    const uint8_t *text;
    const int32_t *first;
    int64_t count;
} ls_asm_words;

/* What may stand behind an opcode. */
typedef struct {
    uint64_t kinds[LS_ASM_OPERANDS]; /* per place: bit k for the kind k */
    int32_t counts;                  /* bit n: n operands are enough    */
    int32_t open;                    /* place of the number that patterns leave open, -1: none */
} ls_asm_form;

/* An opcode with its operands. */
typedef struct {
    int64_t values[LS_ASM_OPERANDS]; /* numbers of registers, and numbers; the open one is 0 */
    uint64_t kinds;                  /* 8 bits per place, the first place lowest             */
    int32_t opcode;                  /* -1: no instruction, -2: one that the caller reads    */
    int32_t spare;
} ls_asm_pattern;

typedef struct {
    const uint8_t *text;
    int64_t length;
    int64_t rows; /* lines to read; the text has them */
    ls_asm_words opcodes;
    ls_asm_words files;
    ls_asm_words marks; /* what starts a comment; none is empty */
    const ls_asm_form *forms;   /* per opcode        */
    const int32_t *registers;   /* per register file */
    int64_t opcode_slots;       /* a power of two above 2 * opcodes.count */
    int32_t *opcode_table;      /* scratch, opcode_slots zeros            */
    int64_t pattern_slots;      /* a power of two above 2 * (rows + 2)    */
    int32_t *pattern_table;     /* scratch, pattern_slots zeros           */
    ls_asm_pattern *patterns;   /* out: room for rows + 2                 */
    int32_t *which;             /* out, per row: its pattern; LS_ASM_ODD where the caller reads it */
    int32_t *start;             /* out, per row: its first byte                                    */
    int32_t *column;            /* out, per row: column of its opcode, from 1                      */
    int32_t *comment;           /* out, per row: first visible byte of its comment, -1: none       */
    int64_t *number;            /* out, per row: the number that its pattern leaves open, or 0     */
} ls_asm_lines;

static_assert(sizeof(ls_asm_words) == 24, "mirrored in Python");
static_assert(sizeof(ls_asm_form) == 72, "mirrored in Python");
static_assert(sizeof(ls_asm_pattern) == 80, "mirrored in Python");
static_assert(sizeof(ls_asm_lines) == 192, "mirrored in Python");

/* Reads `rows` lines; the text has fewer than 2^31 bytes. Returns the number of patterns. */
LS_EXPORT int64_t ls_asm_read(const ls_asm_lines *lines);

#endif
