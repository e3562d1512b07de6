import { expect, it } from "vitest";
import type { AuthInfo } from "../../../auth/resource-server/auth-info.ts";
import type { JSONRPCMessage } from "../../../jsonrpc/message.ts";
import { AuthorizedClient } from "../authorized-client.ts";
import { unsent } from "../../../base/unsent.ts";
import { EventStream } from "../exchange/event-stream.ts";
import { SseTransport } from "./sse-transport.ts";

const authorizer = {
  authorize: () => ({ status: 401, headers: [], message: "" }),
  insufficientScope: () => ({ status: 403, headers: [], message: "" }),
};
const caller = (subject: string): AuthorizedClient => {
  const auth: AuthInfo = { issuer: "https://login.example", subject, scopes: [], claims: {} };
  return new AuthorizedClient(authorizer, { auth, principal: "p", until: Infinity });
};
const message = (id: number): JSONRPCMessage => ({ jsonrpc: "2.0", id, method: "ping" });

it("says of each message who sent it, however many wait [D.1 M1.5]", async () => {
  const transport = new SseTransport(
    new EventStream({ maxBuffered: 1e6, maxStalled: 1e6, maxUnsent: 1e9 }),
    "/mcp",
    { principal: "p" },
    { maxResultSize: 1e6, maxBuffered: 1e6 },
  );
  const early = transport.receive();
  for (const id of [1, 2, 3]) transport.push(message(id), caller(`sender ${id}`), 1);
  transport.push(message(4), undefined, 1);
  const seen: unknown[] = [];
  for (const next of [early, undefined, undefined, undefined]) {
    const received = (await (next ?? transport.receive())) as { id: number }; // a message of this test
    seen.push([received.id, transport.lastSender.auth?.subject]);
  }
  expect(seen).toEqual([[1, "sender 1"], [2, "sender 2"], [3, "sender 3"], [4, undefined]]); // oxfmt-ignore
});

it("what waits counts for what the process holds, until it is received or the stream ends [R8]", async () => {
  const before = unsent.size;
  const held = (): number => unsent.size - before;
  const stream = new EventStream({ maxBuffered: 1e6, maxStalled: 1e6, maxUnsent: 1e9 });
  const transport = new SseTransport(stream, "/mcp", { principal: "p" }, { maxResultSize: 1e6, maxBuffered: 1_000 });
  expect([1, 2, 3].map((id) => transport.push(message(id), undefined, 400))).toEqual([
    undefined,
    undefined,
    "limits.maxBuffered",
  ]);
  expect(held()).toBe(800);
  await transport.receive();
  expect(held()).toBe(400);
  await transport.receive();
  expect(held()).toBe(0);
  expect(transport.push(message(4), undefined, 5_000)).toBe(undefined); // it waits alone
  expect(transport.push(message(5), undefined, 1)).toBe("limits.maxBuffered");
  expect(held()).toBe(5_000);
  stream.gone();
  expect(held()).toBe(0);
  expect(await transport.receive()).toMatchObject({ id: 4 });
  expect(held()).toBe(0);
});
