/** Which callers share joined lists: those who see the same lists of the same servers. */
import { expect, test } from "vitest";
import { EMPTY_LISTS } from "../../upstream/listing.ts";
import type { JoinedServer } from "./joined-entry.ts";
import { EMPTY_LISTING, listingOf } from "./listing.ts";
import { SharedLists } from "./shared-lists.ts";

const serverNamed = (name: string): JoinedServer => ({ name, prefix: `${name}__`, scheme: name, report: () => undefined });

test("callers share lists of equal servers only, however the names and the numbers of lists meet", async () => {
  const shared = new SharedLists();
  const [a, oneB, b] = [serverNamed("a"), serverNamed("1b"), serverNamed("b")];
  const all = [a, oneB, b];
  const lists = await Promise.all(Array.from({ length: 10 }, () => listingOf(EMPTY_LISTS)));
  const seen = [
    [a, lists[0]!],
    [oneB, EMPTY_LISTING],
  ] as const;
  const first = await shared.of(seen, all); // the lists have the numbers 1 and 2
  for (const list of lists) await shared.of([[a, list]], all); // the last one has 11
  expect(
    await shared.of(
      [
        [a, lists.at(-1)!],
        [b, EMPTY_LISTING],
      ],
      all,
    ),
  ).not.toBe(first);
  expect(await shared.of(seen, all)).toBe(first);
});
