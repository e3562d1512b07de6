// Serves over HTTP in a container: on every address, under the names that ALLOWED_HOSTS lists.
import { serveHttp } from "tenon/node";
import { server } from "./server.ts";

const http = await serveHttp(server, {
  host: "0.0.0.0",
  port: Number(process.env["PORT"] ?? 3000),
  allowedHosts: (process.env["ALLOWED_HOSTS"] ?? "localhost,127.0.0.1").split(","),
  health: true, // GET /livez and GET /readyz
  welcome: true, // the address opened in a browser says how to add the server
});
// The platform sends SIGTERM before it stops the server, a terminal SIGINT: running calls end first.
for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => void http.drain(8_000));
