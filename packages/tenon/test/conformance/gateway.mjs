// The gateway in front of the fixture server, which is a process of its own.
//   PORT=3000 npm run -s fixture:gateway    Streamable HTTP at http://localhost:$PORT/mcp
//   npm run -s fixture:gateway -- --stdio   on stdin and stdout
// REVISION is the revision that the gateway speaks with the fixture. Default: the newest that both have.
import { fileURLToPath } from "node:url";
import { createGateway } from "tenon/gateway";
import { serveHttp, serveStdio } from "tenon/node";

/** A server with one name for everything: its own. The suite calls the tools of the fixture by their names. */
const gateway = createGateway({
  servers: {
    fixture: {
      command: process.execPath,
      args: [fileURLToPath(new URL("server.mjs", import.meta.url)), "--stdio"],
      ...(process.env.REVISION && { revision: process.env.REVISION }),
    },
  },
  prefix: { fixture: "" },
  // All sessions of the suite are the user of this machine: one hears what the shared program says to it.
  localLogins: true,
});

if (process.argv.includes("--stdio")) {
  await serveStdio(gateway);
} else {
  const http = await serveHttp(gateway, {
    port: Number(process.env.PORT ?? 3000),
    path: "/mcp",
    streams: { retry: 500 },
    cors: { origins: "loopback" },
    sessions: { maxPerPrincipal: 10_000 },
  });
  console.error(`Listening at ${http.url}`);
  for (const signal of ["SIGTERM", "SIGINT"]) {
    process.once(signal, async () => {
      await http.drain(1_000);
      await http.close();
      await gateway.close();
    });
  }
}
