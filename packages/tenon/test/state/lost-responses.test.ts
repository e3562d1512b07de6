/** A store whose response to a change does not arrive: whether the change was made decides, and it is made once. */
import { expect, test } from "vitest";
import * as z from "zod";
import { connect } from "tenon";
import { state } from "tenon/state";
import { memoryStores } from "tenon/stores/memory";
import { closing } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

const { keyed } = memoryStores();
type Swap = typeof keyed.swap;

test.each<{ what: string; losing: (...change: Parameters<Swap>) => unknown; text: string; then: string }>([
  { what: "that was made is counted", losing: keyed.swap.bind(keyed), text: "2", then: "2" },
  { what: "that was not made is an error, and what was there stays", losing: () => undefined, text: "lost", then: "1" },
])("a change $what", async ({ what, losing, text, then }) => {
  let isLosing = false;
  const swap: Swap = async (...change) => {
    if (!isLosing) return keyed.swap(...change);
    await losing(...change);
    throw new Error("lost");
  };
  const store = { ...keyed, read: keyed.read.bind(keyed), swap };
  const counter = state("counter", { schema: z.number(), store });
  const server = testServer({ onError: () => undefined });
  server.use((next) => (context) => {
    context.principal = what;
    return next(context);
  });
  server.tool("count", {}, async (_input, ctx) =>
    counter.update(ctx, (count = 0) => count + 1).catch(({ message }: Error) => message),
  );
  server.tool("read", {}, async (_input, ctx) => String(await counter.get(ctx)));
  const client = await closing(connect(server));
  expect((await client.callTool("count")).text).toBe("1");
  isLosing = true;
  expect((await client.callTool("count")).text).toBe(text);
  expect((await client.callTool("read")).text).toBe(then);
});
