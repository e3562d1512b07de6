// What a client still holds of calls that are over.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { connect } from "tenon";
import { createFetchHandler } from "tenon/server";
import { testServer } from "../support/test-server.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

test.each(["2025-11-25", "2026-07-28"] as const)(
  "%s: no memory holds a call that has ended, not even the last one [rule R5]",
  async (revision) => {
    const server = testServer();
    server.tool("size", { input: { type: "object" } }, ({ text }) => String(String(text).length));
    const handler = createFetchHandler(server);
    const fetch = (url: string, init: RequestInit): Promise<Response> => handler(new Request(url, init));
    const client = await connect({ url: "http://localhost/mcp", fetch }, { revision });
    const call = async (): Promise<WeakRef<object>> => {
      const args = { text: "x".repeat(1_000) };
      expect((await client.callTool("size", args)).text).toBe("1000");
      return new WeakRef(args);
    };
    const given = [await call(), await call()];
    await new Promise((resolve) => setTimeout(resolve));
    collectGarbage();
    expect(given.map((args) => args.deref())).toEqual([undefined, undefined]);
    await client.close();
    await server.close();
  },
);
