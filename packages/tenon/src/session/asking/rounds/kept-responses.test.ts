import { expect, test } from "vitest";
import { VirtualClock } from "../../../testing/virtual-clock.ts";
import { KeptResponses, type SharedTexts } from "./kept-responses.ts";

/** The responses of rounds that ran new steps: how many, how long ones and for how long they are kept, here and in a store. */
const silent = (warning: Error): never => {
  throw warning;
};

test("a response is kept for a minute, and what is kept cannot be changed", async () => {
  const clock = new VirtualClock();
  const kept = new KeptResponses(clock, undefined, silent);
  const response = { content: [{ text: "one" }] };
  await kept.keep("a", response, "ada");
  response.content[0]!.text = "changed";
  await clock.advance(59_999);
  expect(await kept.find("a")).toEqual({ content: [{ text: "one" }] });
  await clock.advance(1);
  expect(await kept.find("a")).toBeUndefined();
});

test("a hundred are kept, the newest ones [rule R5]", async () => {
  const clock = new VirtualClock();
  const kept = new KeptResponses(clock, undefined, silent);
  for (let index = 0; index < 100; index++) await kept.keep(`r${index}`, { index }, "ada");
  expect(await kept.find("r0")).toEqual({ index: 0 });
  await kept.keep("r100", { index: 100 }, "ada");
  expect([await kept.find("r0"), await kept.find("r1"), await kept.find("r100")]).toEqual([
    undefined,
    { index: 1 },
    { index: 100 },
  ]);
});

test("what has expired goes with the next one, and what has not stays [rule R5]", async () => {
  const clock = new VirtualClock();
  const kept = new KeptResponses(clock, undefined, silent);
  await kept.keep("old", { n: 1 }, "ada");
  await clock.advance(30_000);
  await kept.keep("young", { n: 2 }, "ada");
  await clock.advance(30_000);
  await kept.keep("new", { n: 3 }, "ada");
  expect([await kept.find("old"), await kept.find("young"), await kept.find("new")]).toEqual([undefined, { n: 2 }, { n: 3 }]);
});

test("one of 65536 characters is kept, a longer one is not, nor one without a JSON form", async () => {
  const kept = new KeptResponses(new VirtualClock(), undefined, silent);
  const most = { x: "x".repeat(65_536 - '{"x":""}'.length) };
  await kept.keep("most", most, "ada");
  await kept.keep("more", { x: `${most.x}x` }, "ada");
  await kept.keep("none", { x: 1n } as never, "ada");
  expect(await kept.find("most")).toEqual(most);
  expect([await kept.find("more"), await kept.find("none")]).toEqual([undefined, undefined]);
});

test("a store gets the text, the time and the share, and is asked for what is not here", async () => {
  const asked: unknown[] = [];
  const shared: SharedTexts = {
    keep: (key, text, life) => Promise.resolve(void asked.push([key, text, life])),
    find: (key) => Promise.resolve(key === "there" ? '{"n":1}' : undefined),
  };
  const kept = new KeptResponses(new VirtualClock(), shared, silent);
  await kept.keep("a", { n: 2 }, "ada");
  expect(asked).toEqual([["a", '{"n":2}', { ms: 60_000, share: "ada" }]]);
  expect([await kept.find("a"), await kept.find("there"), await kept.find("nowhere")]).toEqual([{ n: 2 }, { n: 1 }, undefined]);
});

test("a store that fails is reported with its error, and what is here is found all the same", async () => {
  const warnings: Error[] = [];
  const down = new Error("store down");
  const shared: SharedTexts = { keep: () => Promise.reject(down), find: () => Promise.reject(down) };
  const kept = new KeptResponses(new VirtualClock(), shared, (warning) => void warnings.push(warning));
  await kept.keep("a", { n: 1 }, "ada");
  expect(await kept.find("a")).toEqual({ n: 1 });
  expect(await kept.find("b")).toBeUndefined();
  expect(warnings.map(({ message, cause }) => [message, cause])).toEqual([
    ["The response of a round is not kept for other processes: its client gets it once, or from this process", down],
    ["The response of an earlier round cannot be read: its client gets an error", down],
  ]);
});
