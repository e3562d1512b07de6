/** When the lists of a server are read again, and who waits for that. */
import { expect, test } from "vitest";
import { turn, VirtualClock } from "../../test/support/virtual-clock.ts";
import { ListReads } from "./list-reads.ts";
import type { ListName } from "./listing.ts";

test("two callers who come while a list is read wait for the same next read", async () => {
  const clock = new VirtualClock();
  const reads: ((failed: ReadonlySet<ListName>) => void)[] = [];
  const read = () => new Promise<ReadonlySet<ListName>>((resolve) => reads.push(resolve));
  const lists = new ListReads({ clock, unpromised: ["tools"], read });
  lists.changed("tools");
  const waiting = new Set(["first", "second"]);
  void lists.beforeRefusal()?.then(() => waiting.delete("first"));
  await clock.advance(1_000);
  void lists.beforeRefusal()?.then(() => waiting.delete("second"));
  reads[0]!(new Set());
  await turn();
  expect([reads.length, [...waiting]]).toEqual([2, ["first", "second"]]);
  reads[1]!(new Set());
  await turn();
  expect([reads.length, [...waiting]]).toEqual([2, []]);
  lists.close();
});
