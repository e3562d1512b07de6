/** One tab reads at its own speed: nothing is written to it before it has read, and closing either side ends the stream. */
import { Writable } from "node:stream";
import type { ServerResponse } from "node:http";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Entry } from "../entries.ts";
import { streamEntries } from "./entry-stream.ts";
import { Journal } from "./journal.ts";

/** A response whose reader takes a piece when the test says so. */
class SlowTab extends Writable {
  readonly pieces: string[] = [];
  readonly heads: unknown[] = [];
  #taken: (() => void) | undefined;

  constructor() {
    super({ highWaterMark: 1, decodeStrings: false });
  }

  writeHead(...head: unknown[]): void {
    this.heads.push(head);
  }

  override _write(piece: string, _encoding: BufferEncoding, taken: () => void): void {
    this.pieces.push(piece);
    this.#taken = taken;
  }

  /** The tab has read what it got. */
  take(): void {
    const taken = this.#taken;
    this.#taken = undefined;
    taken?.();
  }
}

const entry = (text: string): Entry => ({ kind: "list", text }) as unknown as Entry; // a journal looks at no member
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A stream of a journal to a slow tab. */
function streaming(journal: Journal, after = 0) {
  const [tab, closing] = [new SlowTab(), new AbortController()];
  // as much of a response as it uses
  const ended = streamEntries(journal, after, tab as unknown as ServerResponse, closing.signal);
  return { tab, closing, ended };
}

test("a tab that does not read gets one piece, and the rest when it has read; more entries wait in the journal", async () => {
  const journal = new Journal();
  for (let at = 0; at < 4; at++) journal.add(entry(`${at}`.repeat(200_000)));
  const { tab, closing, ended } = streaming(journal);
  await turn();
  expect([tab.pieces.length, tab.writableLength]).toEqual([1, tab.pieces[0]!.length]);
  journal.add(entry("later"));
  await turn();
  await turn();
  expect([tab.pieces.length, tab.writableLength]).toEqual([1, tab.pieces[0]!.length]);
  for (let at = 0; at < 6; at++) {
    tab.take();
    await turn();
    await turn();
  }
  const lines = tab.pieces.join("").split("\n").filter(Boolean);
  expect(lines.map((line) => (JSON.parse(line) as { seq: number }).seq)).toEqual([1, 2, 3, 4, 5]);
  expect(tab.heads).toEqual([[200, { "Content-Type": "application/x-ndjson; charset=utf-8" }]]);
  closing.abort();
  await ended;
});

test.each(["waits for an entry", "waits for its reader"])(
  "a stream that %s ends when the page closes, and when the tab does",
  async (what) => {
    for (const close of ["page", "tab"]) {
      const journal = new Journal();
      if (what === "waits for its reader") for (let at = 0; at < 4; at++) journal.add(entry("x".repeat(200_000)));
      const { tab, closing, ended } = streaming(journal);
      await turn();
      if (close === "page") closing.abort();
      else tab.destroy();
      await ended;
      expect([tab.writableEnded || tab.destroyed, tab.listenerCount("drain")]).toEqual([true, 0]);
      const before = tab.pieces.length;
      journal.add(entry("after the end"));
      await turn();
      expect(tab.pieces).toHaveLength(before);
    }
  },
);

test("a tab learns how many entries it has missed, before those that are there", async () => {
  const journal = new Journal();
  for (let at = 0; at < 8; at++) journal.add(entry(`${at}`), undefined, "x".repeat(64 * 1024 * 1024));
  const { tab, closing, ended } = streaming(journal, 2);
  for (let at = 0; at < 3; at++) {
    await turn();
    tab.take();
  }
  const [gap, ...others] = tab.pieces
    .join("")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as object);
  expect(gap).toMatchObject({ kind: "gap", missed: 3, seq: 2 });
  expect(others).toMatchObject([{ seq: 6 }, { seq: 7 }, { seq: 8 }]);
  closing.abort();
  await ended;
});

test("an empty line every 15 seconds shows both sides that the connection is there, until the stream ends", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const { tab, closing, ended } = streaming(new Journal());
  vi.advanceTimersByTime(14_999);
  expect(tab.pieces).toEqual([]);
  vi.advanceTimersByTime(1);
  tab.take();
  vi.advanceTimersByTime(15_000);
  expect(tab.pieces).toEqual(["\n", "\n"]);
  closing.abort();
  await ended;
  expect(vi.getTimerCount()).toBe(0);
});
