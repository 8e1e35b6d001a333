// What stays bright when a row of the verdict is chosen: a key such as `wait:data:0` as a test of bars.
import { REASONS } from "./theme.js";

const NOT_COMPUTE = { communication: "communication", copy: "memory", fill: "memory", wait: "wait" };
const MODES_OF = { wait: "wait", running: "function", work: "function", function: "function", crowded: "deviation", "slow core": "deviation", "late core": "wait" };

/** `{mode, columns, keeps, reason, says, trace, lane}` of a key; null for one that means nothing here. */
export function keptOf(model, key) {
  const [, sort, what, number] = /^([^:]+):(.*):(\d+)$/s.exec(key) ?? [];
  const trace = model.traces[Number(number)];
  const mode = MODES_OF[sort];
  if (!trace || !mode) return null;
  const tasks = (test) => (owner, track) => (track.kind === "tasks" ? test(owner, track) : () => false);
  const named = (wanted) => tasks((owner, track) => {
    const fits = owner.header.functions.map(wanted);
    const names = track.table.values.get("name");
    return (i) => fits[names[track.rowAt(i)]] ?? false;
  });
  if (sort === "wait") return keptWait(what);
  if (sort === "running") return { mode, columns: [], keeps: tasks(() => () => true), says: "Bright: everything that ran." };
  if (sort === "work") return { mode, columns: [], keeps: named(({ work }) => (NOT_COMPUTE[work] ?? "compute") === what), says: `Bright: ${what}.` };
  if (sort === "function" || sort === "crowded") return { mode, columns: [], keeps: named(({ name }) => name === what), says: `Bright: ${what}.` };
  const lane = trace.header.lanes.findIndex((one) => one.kind === "core" && one.core === Number(what));
  if (lane < 0) return null;
  const mine = (owner, track) => owner === trace && track.lane === lane;
  const says = `Bright: ${trace.header.lanes[lane].name}.`;
  if (sort === "slow core") return { mode, columns: [], keeps: tasks((owner, track) => () => mine(owner, track)), says, trace, lane };
  const wait = keptWait("switch");
  return { ...wait, keeps: (owner, track) => (mine(owner, track) ? wait.keeps(owner, track) : () => false), says, trace, lane };
}

function keptWait(what) {
  const reason = REASONS.indexOf(what);
  if (reason < 0) return null;
  const column = `wait_${what}`;
  const keeps = (owner, track) => {
    if (track.kind !== "tasks") return () => (track.kind === "lost" && what === "lost") || (track.kind === "stalls" && what === "blocked");
    const waits = track.table.values.get(column);
    return (i) => waits?.[track.rowAt(i)] > 0;
  };
  const says = "Bright: tasks before which their lane waited so, with that wait. Time behind a lane's last task is in the table alone.";
  return { mode: "wait", columns: [column], keeps, reason, says };
}
