// The server that every runtime serves: the fixture server, with a call to give up and a list that changes.
import { createFixtureServer } from "../support/fixture-server.mjs";

export function createServer() {
  const server = createFixtureServer();
  let held = 0;
  let added = 0;
  // Counted by the signal, not by the code after the wait: workers end that together with the request.
  server.tool("hold", { description: "Reports progress once, then waits to be cancelled" }, async (_input, ctx) => {
    held++;
    ctx.signal.addEventListener("abort", () => held--, { once: true });
    await ctx.progress(0, 1);
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, 60_000);
      ctx.signal.addEventListener("abort", () => clearTimeout(timer) ?? resolve(), { once: true });
    });
  });
  server.tool("held", { description: "How many calls of hold are waiting" }, () => ({ held }));
  server.tool("grow", { description: "Adds one more tool and one more prompt" }, () => {
    added++;
    server.tool(`added-${added}`, {}, () => "new");
    server.prompt(`added-${added}`, {}, () => "new");
    return `added-${added}`;
  });
  return server;
}
