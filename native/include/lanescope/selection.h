/* Which tensors a dump takes: --dump-tensors=SELECT, read from a text such as "add,17,20-30,arg1,outputs".
 *
 * Functions and tasks are added together. `inputs` or `outputs` keeps one of the two stages, and argN
 * keeps that argument; several are added together, too. An empty text selects everything.
 */
#ifndef LANESCOPE_SELECTION_H
#define LANESCOPE_SELECTION_H

#include "layout.h"

#define LS_MOST_SELECTED 32 /* functions, ranges of tasks and arguments in a selection */

enum ls_selected_kind { LS_SELECT_FUNCTION = 0, LS_SELECT_TASKS = 1, LS_SELECT_ARGUMENT = 2 };

typedef struct {
    uint32_t kind; /* enum ls_selected_kind */
    uint32_t pad;
    uint64_t first, last; /* functions, tasks or arguments */
} ls_selected;

typedef struct {
    uint32_t count;
    uint32_t stages; /* 1 << enum ls_tensor_stage */
    ls_selected parts[LS_MOST_SELECTED];
} ls_selection;

/* ---- since 0.2.0 ----------------------------------------------------------------------------- */

/* Selects everything. */
LS_FN void ls_select_all(ls_selection *selection)
{
    selection->count = 0;
    selection->stages = 1u << LS_BEFORE_DISPATCH | 1u << LS_AFTER_COMPLETION;
}

/* Is a tensor selected? */
LS_FN int ls_is_selected(const ls_selection *selection, const ls_tensor_facts *facts)
{
    int run = 1, argument = 1; /* 1: nothing was said, 2: said and not this one, 3: this one */
    if (!(selection->stages & 1u << facts->stage))
        return 0;
    for (uint32_t i = 0; i < selection->count; i++) {
        const ls_selected *part = &selection->parts[i];
        int *said = part->kind == LS_SELECT_ARGUMENT ? &argument : &run;
        uint64_t value = part->kind == LS_SELECT_FUNCTION ? facts->func
                         : part->kind == LS_SELECT_TASKS  ? facts->task
                                                          : facts->argument;
        if (*said != 3)
            *said = part->first <= value && value <= part->last ? 3 : 2;
    }
    return run != 2 && argument != 2;
}

/* ---- inside ---------------------------------------------------------------------------------- */

/* Is the text of this length the word? */
LS_FN int ls_text_is(const char *text, uint32_t length, const char *word)
{
    for (uint32_t i = 0; i < length; i++)
        if (word[i] == 0 || word[i] != text[i])
            return 0;
    return word[length] == 0;
}

/* Reads a whole number; its digits end at the length that is returned, 0 without a digit. */
LS_FN uint32_t ls_read_number(const char *text, uint32_t length, uint64_t *number)
{
    uint32_t i = 0;
    *number = 0;
    for (; i < length && i < 18 && text[i] >= '0' && text[i] <= '9'; i++)
        *number = *number * 10 + (uint64_t)(text[i] - '0');
    return i;
}

/* A range "17" or "20-30". 0: it is none. */
LS_SLOW int ls_read_range(const char *text, uint32_t length, ls_selected *part)
{
    uint32_t digits = ls_read_number(text, length, &part->first);
    part->last = part->first;
    if (digits == 0 || digits == length)
        return digits != 0;
    if (text[digits] != '-')
        return 0;
    uint32_t more = ls_read_number(text + digits + 1, length - digits - 1, &part->last);
    return more != 0 && digits + 1 + more == length && part->first <= part->last;
}

/* A function of the region by its name. 0: there is none. */
LS_SLOW int ls_find_function(LS_GM const uint8_t *region, const char *text, uint32_t length,
                             ls_selected *part)
{
    LS_GM const ls_header *header = (LS_GM const ls_header *)region;
    LS_GM const ls_name_entry *entry = (LS_GM const ls_name_entry *)(region + header->names);
    for (uint32_t i = 0; i < header->name_count && length < LS_FUNCTION_NAME; i++, entry++) {
        uint32_t same = 0;
        while (same < length && entry->name[same] == text[same])
            same++;
        if (same != length || entry->name[length] != 0 || length == 0
            || entry->func >= LS_MARK_NAMES)
            continue;
        part->first = part->last = entry->func;
        return 1;
    }
    return 0;
}

LS_SLOW int ls_select_part(ls_selection *selection, LS_GM const uint8_t *region, const char *text,
                           uint32_t length, uint32_t *stages)
{
    ls_selected part = LS_ZERO;
    part.kind = LS_SELECT_FUNCTION; /* a function that is called "inputs" comes first */
    if (!ls_find_function(region, text, length, &part)) {
        if (ls_text_is(text, length, "inputs") || ls_text_is(text, length, "outputs")) {
            *stages |= 1u << (text[0] == 'i' ? LS_BEFORE_DISPATCH : LS_AFTER_COMPLETION);
            return 1;
        }
        int argument = length > 3 && ls_text_is(text, 3, "arg");
        part.kind = argument ? LS_SELECT_ARGUMENT : LS_SELECT_TASKS;
        if (!ls_read_range(text + (argument ? 3 : 0), length - (argument ? 3 : 0), &part))
            return 0;
    }
    if (selection->count == LS_MOST_SELECTED)
        return 0;
    selection->parts[selection->count++] = part;
    return 1;
}

/* ---- since 0.2.0 ----------------------------------------------------------------------------- */

/* Reads a selection; functions must be named before (ls_name_function). 0: a part of it is neither a
 * function of the region nor a task, argument or stage, or there are too many; then nothing is selected. */
LS_SLOW int ls_select(ls_selection *selection, LS_GM const uint8_t *region, const char *text)
{
    ls_selection fresh = LS_ZERO;
    uint32_t stages = 0;
    *selection = fresh;
    if (!region)
        return 1; /* nothing is recorded */
    ls_select_all(&fresh);
    while (*text) {
        uint32_t length = 0;
        while (text[length] && text[length] != ',')
            length++;
        if (!ls_select_part(&fresh, region, text, length, &stages))
            return 0;
        text += length + (text[length] == ',');
    }
    if (stages)
        fresh.stages = stages;
    *selection = fresh;
    return 1;
}

#endif
