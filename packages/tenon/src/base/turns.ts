/**
 * Long work in parts, each in a turn of the event loop of its own, so that other calls go on meanwhile.
 *
 * Lists of peers can have 100,000 entries. Work on them is done at once only if they are few.
 */
import { isPromise, type MaybePromise } from "./maybe-promise.ts";

/** Items that are handled in one turn: a few milliseconds of work on entries of a list. */
export const ITEMS_OF_A_TURN = 1_000;

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === "function") setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
}

/**
 * Runs `work` for each item, in several turns if they are many. What it throws or rejects with ends all.
 * @param size items of one turn. Default {@link ITEMS_OF_A_TURN}
 */
export function eachInTurns<T>(items: readonly T[], work: (item: T) => void, size: number = ITEMS_OF_A_TURN): MaybePromise<void> {
  if (items.length > size) return inTurns(items, work, size);
  for (const item of items) work(item);
}

async function inTurns<T>(items: readonly T[], work: (item: T) => void, size: number): Promise<void> {
  for (let at = 0; at < items.length; at += size) {
    if (at > 0) await nextTurn();
    for (const item of items.slice(at, at + size)) work(item);
  }
}

export function filterInTurns<T>(items: readonly T[], keep: (item: T) => boolean): MaybePromise<readonly T[]> {
  const accepted: T[] = [];
  const done = eachInTurns(items, (item) => {
    if (keep(item)) accepted.push(item);
  });
  return isPromise(done) ? done.then(() => accepted) : accepted;
}

export function someInTurns<T>(items: readonly T[], has: (item: T) => boolean): MaybePromise<boolean> {
  return items.length > ITEMS_OF_A_TURN ? laterSome(items, has) : items.some(has);
}

async function laterSome<T>(items: readonly T[], has: (item: T) => boolean): Promise<boolean> {
  for (let at = 0; at < items.length; at += ITEMS_OF_A_TURN) {
    if (at > 0) await nextTurn();
    if (items.slice(at, at + ITEMS_OF_A_TURN).some(has)) return true;
  }
  return false;
}
