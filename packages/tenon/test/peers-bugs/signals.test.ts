/** Mistakes other SDKs made and mended: false warnings of leaks, and leaks. */
import { getEventListeners } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { ClientSessionGroup } from "tenon/group";
import { describeMatrix } from "../support/matrix.ts";
import { gate } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

/** More than the listeners of one signal that Node takes without a word. */
const MANY = 15;
const form = { type: "object", properties: {} } as const;

/** The warnings of this process from now on. */
function listenForWarnings(): Error[] {
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on("warning", onWarning);
  onTestFinished(() => void process.off("warning", onWarning));
  return warnings;
}

const many = <T>(make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: MANY }, (_, index) => make(index)));

describeMatrix("Many at a time, on one connection and with one signal", ({ connect, since }) => {
  it("calls, calls that ask, and streams of changes cause no warning and leave nothing [fault Z3]", async () => {
    const warnings = listenForWarnings();
    const server = testServer({ onError: () => undefined });
    server.tool("wait", {}, () => new Promise<string>((resolve) => setTimeout(resolve, 5, "done")));
    server.tool("ask", {}, async (_input, ctx) => (await ctx.elicit("q", { message: "?", schema: form })).action);
    const client = await connect(server, {
      onElicit: () => new Promise((resolve) => setTimeout(resolve, 5, { action: "accept", content: {} } as const)),
    });
    const { signal } = new AbortController();
    await many(() => client.callTool("wait", {}, { signal }));
    if (since("2025-06-18")) {
      const answers = await many(() => client.callTool("ask", {}, { signal }));
      expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(["accept"]));
    }
    const streams = await many(() => client.listen({ tools: true }, { signal }));
    await Promise.all(streams.map((stream) => stream.close()));
    await expect.poll(() => getEventListeners(signal, "abort")).toEqual([]);
    expect(warnings.map(({ message }) => message)).toEqual([]);
  });

  it("all of them are notified when it aborts", async () => {
    const warnings = listenForWarnings();
    const server = testServer({ onError: () => undefined });
    let running = 0;
    server.tool("wait", {}, (_input, ctx) => {
      running++;
      return new Promise<string>((_resolve, reject) =>
        ctx.signal.addEventListener("abort", () => (running--, reject(new Error("aborted")))),
      );
    });
    const client = await connect(server);
    const abort = new AbortController();
    const reason = new Error("no more");
    const calls = many((index) => client.callTool("wait", { index }, { signal: abort.signal }).catch((error: unknown) => error));
    await expect.poll(() => running).toBe(MANY);
    abort.abort(reason);
    expect(new Set(await calls)).toEqual(new Set([reason]));
    await expect.poll(() => running).toBe(0);
    expect(warnings.map(({ message }) => message)).toEqual([]);
  });
});

it("calls of a group that wait for a server to connect leave nothing on the signal either [fault Z3]", async () => {
  const warnings = listenForWarnings();
  const server = testServer();
  server.tool("t", {}, () => "t");
  const { opened, open } = gate();
  const group = await ClientSessionGroup.connect({ slow: async () => (await opened, server) }, { readyTimeout: 0 });
  onTestFinished(() => group.close());
  const { signal } = new AbortController();
  const calls = many(() => group.callTool("slow__t", {}, { signal }));
  const given = new AbortController();
  const abandoned = many(() => group.callTool("slow__t", {}, { signal: given.signal }).catch((error: unknown) => error));
  given.abort("enough");
  expect(new Set(await abandoned)).toEqual(new Set(["enough"]));
  open();
  expect(new Set((await calls).map(({ text }) => text))).toEqual(new Set(["t"]));
  for (const used of [signal, given.signal]) expect(getEventListeners(used, "abort")).toEqual([]);
  expect(warnings.map(({ message }) => message)).toEqual([]);
});
