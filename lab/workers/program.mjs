// The server of figures.mjs: a tool that uses a number of steps of the processor. Each of its processes prints a line when it
// serves.
//   node program.mjs <steps> one|two|bare      one process, two workers, or the one process in two of a bare node:cluster
import cluster from "node:cluster";
import { serveHttp } from "tenon/node";
import { McpServer } from "tenon/server";
import { burn } from "./burn.mjs";

const [steps, how] = process.argv.slice(2);
if (how === "bare" && cluster.isPrimary) {
  for (let worker = 0; worker < 2; worker++) cluster.fork();
  process.once("SIGTERM", () => process.exit());
} else {
  const server = new McpServer({ name: "figures", version: "1.0.0" });
  server.tool("work", {}, () => (burn(Number(steps)), "done"));
  const endpoint = await serveHttp(server, { port: 0, ...(how === "two" && { workers: 2 }) });
  console.log(`serves ${process.pid} ${endpoint.url}`);
}
