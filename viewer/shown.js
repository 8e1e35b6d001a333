// Which tracks a lane shows in a window of time.
import { visibleTiles } from "./model.js";

/** Tiles that a lane is drawn from. The critical path is whole in every window, as if it were one tile. */
export function tilesOf(trace, lane, t0, t1) {
  if (trace.path?.lane === lane) return [{ byLane: new Map([[lane, [trace.path]]]) }];
  return visibleTiles(trace, t0, t1);
}

/** The tracks of a lane that are drawn for a window. */
export function tracksOf(trace, lane, t0, t1) {
  return tilesOf(trace, lane, t0, t1).flatMap((tile) => tile.byLane?.get(lane) ?? []);
}
