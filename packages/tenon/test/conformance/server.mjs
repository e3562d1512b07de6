// The server the conformance suite is run against.
//   PORT=3000 npm run -s fixture:server    Streamable HTTP at http://localhost:$PORT/mcp
//   WORKERS=2 npm run -s fixture:server    the same by two workers of one program
//   npm run -s fixture:server -- --stdio   on stdin and stdout
import { serveHttp, serveStdio } from "tenon/node";
import { server } from "./everything/server.mjs";

if (process.argv.includes("--stdio")) {
  await serveStdio(server);
} else {
  // Every scenario of the suite opens sessions, all from one address.
  const http = await serveHttp(server, {
    port: Number(process.env.PORT ?? 3000),
    path: "/mcp",
    workers: Number(process.env.WORKERS ?? 1),
    streams: { retry: 500 },
    cors: { origins: "loopback" },
    sessions: { maxPerPrincipal: 10_000 },
  });
  console.error(`Listening at ${http.url}`);
  for (const signal of ["SIGTERM", "SIGINT"]) {
    process.once(signal, async () => {
      await http.drain(1_000);
      await http.close();
    });
  }
}
