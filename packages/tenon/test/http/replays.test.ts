// Streams of one session that are open at the same time: what a client that comes back gets is of the stream that was cut.
import { expect, test } from "vitest";
import { EventReader } from "./event-reader.ts";
import { serve } from "./support.ts";
import { gate } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

interface Told {
  readonly id?: number;
  readonly params?: { readonly progressToken: string };
}

test("what is replayed is of the stream that was cut, and of no other of its session [E3.3]", async () => {
  const { opened, open } = gate();
  const server = testServer();
  server.tool("count", {}, async (_input, ctx) => {
    for (let step = 1; step <= 3; step++) await ctx.progress(step);
    await opened;
    await ctx.progress(4);
    return "counted";
  });
  const http = await serve(server);
  const { headers } = await http.open("2025-11-25");
  const count = (id: number): Promise<EventReader> => {
    const params = { name: "count", arguments: {}, _meta: { progressToken: `t${id}` } };
    return EventReader.open(http.port, { headers, body: { jsonrpc: "2.0", id, method: "tools/call", params } });
  };
  const [cut, other] = [await count(2), await count(3)];
  const { id } = await cut.next();
  await other.next();
  cut.destroy();
  open();
  const again = await EventReader.open(http.port, { headers: { ...headers, "last-event-id": id! } });
  const replayed = (await again.rest()).flatMap(({ data }) => (data === "" ? [] : [JSON.parse(data) as Told]));
  expect(replayed.map((told) => told.id ?? told.params?.progressToken)).toEqual(["t2", "t2", "t2", "t2", 2]);
});
