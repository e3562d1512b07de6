import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeSseEvent } from "../../jsonrpc/sse.ts";
import { readEvents, type ReceivedEvent, type StreamEnd } from "./read-events.ts";

interface Heard extends StreamEnd {
  readonly events: ReceivedEvent[];
  readonly retries: number[];
  readonly comments: number;
}

async function read(chunks: Iterable<Uint8Array>, max: number = 1_000_000): Promise<Heard> {
  const events: ReceivedEvent[] = [];
  const retries: number[] = [];
  let comments = 0;
  const source = chunks[Symbol.iterator]();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { done, value } = source.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
  });
  const end = await readEvents(body, max, {
    opened: () => undefined,
    alive: () => undefined,
    event: (event) => events.push(event),
    retry: (ms) => retries.push(ms),
    keepsAlive: () => comments++,
    unended: () => true,
  });
  return { ...end, events, retries, comments };
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function* pieces(whole: Uint8Array, cuts: readonly number[]): Generator<Uint8Array> {
  let from = 0;
  for (const cut of [...cuts].map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b)) {
    yield whole.subarray(from, cut);
    from = cut;
  }
  yield whole.subarray(from);
}

describe("bytes that are cut anywhere [fault C4]", () => {
  test("what was written is what is read, however the bytes are cut and the lines end", async () => {
    const event = fc.record(
      { data: fc.string({ unit: "grapheme" }), id: fc.stringMatching(/^[a-z0-9]{1,5}$/), retry: fc.nat() },
      { requiredKeys: ["data"] },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(event),
        fc.array(fc.nat()),
        fc.constantFrom("\n", "\r", "\r\n"),
        async (written, cuts, lineEnd) => {
          const text = written.map(encodeSseEvent).join("").replaceAll("\n", lineEnd);
          const { events, retries } = await read(pieces(bytes(`\uFEFF${text}:\n`), cuts));
          expect(events.map(({ id, data }) => ({ id, data }))).toEqual(
            written.map(({ id, data }) => ({ id, data: data.replaceAll(/\r\n?/g, "\n") })),
          );
          expect(retries).toEqual(written.flatMap(({ retry }) => retry ?? []));
        },
      ),
      { numRuns: 200 },
    );
  });

  test.each<[string, number]>([
    ["data: x", 0],
    ["data: x\n", 0],
    ["data: x\n\n", 1],
    [": x\n\n", 0],
    ["\n\n\n", 0],
    ["data\n\n", 1],
  ])("%j has %i events", async (text, count) => {
    expect((await read([bytes(text)])).events).toHaveLength(count);
  });

  test("comments are reported to the sink", async () => {
    expect((await read([bytes(": a\n:\n\ndata: x\n\n:\n")])).comments).toBe(3);
  });

  test("an error of the stream is returned, not thrown [C5]", async () => {
    const broken = (function* broken(): Generator<Uint8Array> {
      yield bytes("data: x\n\n");
      throw new Error("reset");
    })();
    const { events, error } = await read(broken);
    expect(events).toHaveLength(1);
    expect(error).toMatchObject({ message: "reset" });
  });
});

describe("limits of events [fault C3, rule R6]", () => {
  test.each(["data: ", "data: x\ndata: ", ":", "id: "])("%j without end is cut at the limit", async (begin) => {
    const endless = function* endless(): Generator<Uint8Array> {
      yield bytes(begin);
      for (;;) yield bytes("x".repeat(1000));
    };
    await expect(read(endless(), 50_000)).rejects.toMatchObject({ limit: "limits.maxResponseBytes", max: 50_000 });
  });

  test("the limit is that of one event, not of the stream", async () => {
    const chunks = Array.from({ length: 100 }, () => bytes(`data: ${"x".repeat(1000)}\n\n`));
    expect((await read(chunks, 2000)).events).toHaveLength(100);
  });
});

describe("reading takes time in proportion to what is read [R9]", () => {
  /** CPU time of reading, in ms, without that of the system: new pages of memory cost much on a machine that is short of them. */
  async function cost(make: (size: number) => Iterable<Uint8Array>, size: number): Promise<number> {
    const chunks = [...make(size)];
    const begin = process.cpuUsage();
    await read(chunks, 1e9);
    return process.cpuUsage(begin).user / 1000;
  }

  /**
   * Eight times the input may cost 24 times as much; a square would be 64 times. The addend is for timers too coarse to see the
   * small one.
   */
  async function isLinear(make: (size: number) => Iterable<Uint8Array>): Promise<boolean> {
    const [small, large] = [await cost(make, 262_144), await cost(make, 2_097_152)];
    return large < 24 * small + 200;
  }

  test.each<[string, (size: number) => Iterable<Uint8Array>]>([
    ["one line in many chunks", (size) => Array.from({ length: size / 64 }, () => bytes("x".repeat(64)))],
    ["many line feeds before one CR", (size) => [bytes(`${"\n".repeat(size)}\r`)]],
    ["many CR", (size) => [bytes("\r".repeat(size))]],
    ["many lines of data", (size) => [bytes("data: x\n".repeat(size / 8))]],
  ])("%s", async (_, make) => {
    await cost(make, 65_536);
    // A busy machine raises some measurements; a quadratic cost shows in each.
    const measured: boolean[] = [];
    while (measured.length < 10 && measured.at(-1) !== true) measured.push(await isLinear(make));
    expect(measured).toContain(true);
  });
});
