/* Runs the machine: takes one event after the other until nothing is left to happen (machine.h). */
#include "machine/orchestrator.h"
#include "machine/scheduler.h"
#include "machine/setup.h"

/* The host has taken the published buffers; whoever waited for one tries again. */
static void host_comes(machine *m)
{
    m->host_coming = 0;
    if (m->in->hooks.host != NULL)
        heard(m, m->in->hooks.host());
    recorder_visit(m->recorder);
    for (int64_t left = count_of(&m->for_host); left > 0; left--)
        at(m, m->now, TURN, take(&m->for_host), 0);
    fire_all(m);
    for (int64_t left = count_of(&m->blocked); left > 0; left--)
        record_task(m, take(&m->blocked));
}

static void release_places(machine *m, scheduler *s, int64_t count)
{
    for (; count > 0; count--)
        release_place(m, take(&s->releasing));
    tell_window(m);
}

static void take_turn(machine *m, int32_t who)
{
    int over = who < m->in->orchestrators
                   ? run_orchestrator(m, &m->orchestrators[who])
                   : run_scheduler(m, &m->schedulers[who - m->in->orchestrators]);
    m->controllers -= over;
}

static void step(machine *m, const event *e)
{
    m->now = e->time;
    switch ((enum event_type)e->type) {
    case TURN:
        take_turn(m, e->who);
        break;
    case ARRIVE:
        arrive(m, e->who);
        break;
    case END:
        end_run(m, e->who);
        break;
    case REPORT:
        report(m, e->who);
        break;
    case SEEN:
        put(m, &m->schedulers[m->cores[e->who].scheduler].finished, e->who);
        fire(m, &m->schedulers[m->cores[e->who].scheduler]);
        break;
    case GATE:
        open_gate(m, e->who, e->about);
        break;
    case KERNEL:
        if (run_kernel(m, e->who))
            end_run(m, e->who);
        break;
    case READY:
        enter(m, e->about, e->who);
        break;
    case HOST:
        host_comes(m);
        break;
    case DRAINED:
        m->together.head++;
        m->draining = 0;
        fire_all(m);
        break;
    case ENGINE:
        put(m, &m->schedulers[e->who].engines, e->about);
        fire(m, &m->schedulers[e->who]);
        break;
    case RELEASE:
        release_places(m, &m->schedulers[e->who], e->about);
        break;
    }
}

static void begin(machine *m)
{
    for (int64_t n = 0; m->in->orchestrators == 0 && n < m->in->tasks; n++)
        submitted(m, m->in->submit_order != NULL ? m->in->submit_order[n] : n);
    m->controllers = m->in->orchestrators + m->in->schedulers;
    for (int64_t k = 0; k < m->controllers; k++)
        at(m, 0, TURN, k, 0);
}

static int32_t run_all(machine *m, ls_machine_found *found, int64_t *ended, int64_t *sent)
{
    const ls_machine *in = m->in;
    event e;
    begin(m);
    while (!m->failed && next_event(m, &e))
        step(m, &e);
    recorder_close(m->recorder);
    *found = (ls_machine_found){m->now, m->done, m->last_finish, m->stalled, m->engine_stop};
    for (int64_t k = 0; k < in->schedulers; k++)
        ended[k] = m->schedulers[k].ended;
    for (int64_t k = 0; k < in->orchestrators; k++)
        ended[in->schedulers + k] = m->orchestrators[k].ended;
    for (int64_t c = 0; c < in->cores; c++)
        sent[c] = m->cores[c].sent;
    if (m->failed)
        return m->failed;
    return m->over && m->controllers == 0 ? LS_MACHINE_DONE : LS_MACHINE_STUCK;
}

int32_t ls_machine_go(const ls_machine *in, ls_machine_found *found, ls_machine_run *runs,
                      int64_t *ended, int64_t *sent)
{
    machine m = {.in = in, .costs = &in->costs, .runs_found = runs};
    int32_t answer = LS_MACHINE_MEMORY;
    if (set_up(&m))
        answer = run_all(&m, found, ended, sent);
    free_all(&m);
    return answer;
}

#define COST(name, section, meaning) {#name, #section, meaning},
static const ls_cost COSTS[] = {LS_MACHINE_COSTS(COST)};

const ls_cost *ls_cost_table(int32_t *count)
{
    *count = (int32_t)(sizeof COSTS / sizeof COSTS[0]);
    return COSTS;
}
