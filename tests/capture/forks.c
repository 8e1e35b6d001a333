/* Forks while its region is open: the child goes on with its parent's handle, and may then make a
 * region of its own.
 *
 *   forks inherited   the child records 5000 tasks with the handle that it inherited
 *   forks own         the child makes a region, and records 30 tasks in it
 *   forks exec        after 10 tasks the process becomes `forks plain`
 *   forks plain       20 tasks
 *
 * The parent records 10 tasks before and 10 after the child.
 */
#define _GNU_SOURCE
#include <lanescope/file.h>
#include <lanescope/lanescope.h>

#include <sys/wait.h>

static uint8_t *region(void)
{
    ls_config config = ls_default_config();
    config.buffer_count[LS_CORE_TASK] = 4;
    return ls_region_from_environment(config);
}

static void tasks(ls_core *core, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++) {
        ls_core_begin(core);
        ls_core_end(core, i, i);
    }
}

int main(int count, char **arguments)
{
    const char *how = count > 1 ? arguments[1] : "plain";
    uint8_t *own = region();
    ls_core core;
    ls_core_open(&core, own, 0);
    tasks(&core, 0, 10);
    if (strcmp(how, "exec") == 0) {
        ls_core_close(&core);
        char *again[] = {arguments[0], (char *)"plain", NULL};
        execv(arguments[0], again);
    }
    if (strcmp(how, "plain") != 0 && fork() == 0) {
        if (strcmp(how, "own") == 0) {
            uint8_t *mine = region();
            ls_core_open(&core, mine, 0);
            tasks(&core, 0, 30);
            ls_core_close(&core);
            ls_region_stopped(mine);
        } else {
            tasks(&core, 10, 5000);
        }
        _exit(0);
    }
    int status = 0;
    while (wait(&status) > 0)
        ;
    tasks(&core, 10, 10);
    ls_core_close(&core);
    ls_region_stopped(own);
    return status ? 1 : 0;
}
