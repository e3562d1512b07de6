// Results that are ready late and are not read, of a server in a process of its own: what that process holds is counted in bytes.
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildServed, Served } from "./served.ts";

let served: Awaited<ReturnType<typeof buildServed>>;
beforeAll(async () => (served = await buildServed("late-results")));
afterAll(() => served.remove());

const MIB = 1024 * 1024;
/** What the responses, the last result and compiled code may take beside what waits. */
const REST = 12 * MIB;

test("100 late, unread results of 5 MB: the process holds 64 MiB at most, each call has a response [T3 rule R8]", async () => {
  const server = new Served(served.file);
  for (let id = 1; id <= 100; id++) server.call(id, "late");
  await server.says(" bytes");
  const [, held] = /holds (\d+) bytes/.exec(server.stderr)!;
  expect(Number(held)).toBeLessThan(64 * MIB + REST);
  server.read();
  const results: number[] = [];
  const errors: unknown[] = [];
  for (let id = 1; id <= 100; id++) {
    const text = await server.answer(id);
    if (text === undefined) errors.push(await server.failure(id));
    else results.push(text.length);
  }
  expect(results).toEqual(Array.from({ length: 13 }, () => 5_000_000)); // as many as fit
  expect(errors).toHaveLength(87);
  for (const error of errors)
    expect(error).toMatchObject({ code: -32603, data: { limit: "limits.maxUnreadBytes", max: 64 * MIB } });
});
