import { describe, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { retryAfterOf, toFailure } from "./failed-response.ts";

const failure = (body: unknown, id?: number): Promise<Error> =>
  toFailure(new Response(typeof body === "string" ? body : JSON.stringify(body), { status: 400 }), "the server", id);
const error = { code: -32602, message: "no such tool", data: { a: 1 } };

describe("the JSON-RPC error in the response of a request that failed", () => {
  test.each([
    ["no id", {}, 7],
    ["null", { id: null }, 7],
    ["the id of the request", { id: 7 }, 7],
    ["the same id as a text", { id: "7" }, 7],
    ["no id, and there was none", {}, undefined],
  ])("is that of the request if it has %s", async (_, named, id) => {
    expect(await failure({ jsonrpc: "2.0", ...named, error }, id)).toMatchObject({
      code: -32602,
      message: "no such tool",
      data: { a: 1 },
    });
  });

  test.each([
    ["another id", { id: 8, error }, 7],
    ["an id, and the message had none", { id: 8, error }, undefined],
    ["an id that is an object", { id: {}, error }, 7],
    ["a code with a fraction", { error: { ...error, code: 1.5 } }, 7],
    ["no message", { error: { code: 1 } }, 7],
    ["no error", {}, 7],
  ])("does not count if it has %s: the status does", async (_, members, id) => {
    expect(await failure({ jsonrpc: "2.0", ...members }, id)).toMatchObject({
      status: 400,
      message: expect.stringContaining("HTTP 400") as string,
    });
  });

  test("a body that is not JSON is kept as a sample", async () => {
    expect(await failure("<html>")).toMatchObject({ status: 400, data: { body: "<html>" } });
  });
});

describe("Retry-After", () => {
  const after = (value?: string): number | undefined =>
    retryAfterOf(new Response(null, { headers: value === undefined ? {} : { "retry-after": value } }), {
      ...systemClock,
      wallNow: () => 60_000,
    });

  test.each([
    ["0", 0],
    ["7", 7_000],
    [new Date(61_000).toUTCString(), 1_000],
    [new Date(59_000).toUTCString(), 0],
    ["soon", undefined],
    [undefined, undefined],
  ])("%s is %s ms", (value, ms) => {
    expect(after(value)).toBe(ms);
  });
});
