/** What an HTTP entry of a group says reaches its requests and its streams. */
import { expect, it, onTestFinished } from "vitest";
import { createFetchHandler } from "tenon/server";
import { RecordingClock } from "../support/virtual-clock.ts";
import { observe, serverWith } from "./support.ts";

it("sends an HTTP entry's headers with each request, and waits on its streams as long as the entry says [SG-11]", async () => {
  // A client waits on a stream that the server keeps alive.
  const handler = createFetchHandler(serverWith("http", "t"), { streams: { keepAlive: 20 } });
  onTestFinished(() => handler.close());
  const keys: (string | null)[] = [];
  const send = ((url: string, init?: RequestInit) => {
    const request = new Request(url, init);
    keys.push(request.headers.get("x-key"));
    return handler(request);
  }) as typeof fetch;
  const clock = new RecordingClock();
  const { group } = observe({ clock, revision: "2025-11-25" });
  const limits = { streamIdleTimeout: 12_345 };
  const entry = {
    type: "streamableHttp",
    url: "http://localhost:7/mcp",
    headers: { "x-key": "1" },
    limits,
    fetch: send,
  } as const;
  await group.connectToServer(entry, { name: "http" });
  expect((await group.callTool("http__t")).text).toBe("http.t");
  expect(keys.length).toBeGreaterThan(2);
  expect(new Set(keys)).toEqual(new Set(["1"]));
  await expect.poll(() => clock.delays).toContain(12_345);
});
