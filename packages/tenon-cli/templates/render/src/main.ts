// Serves over HTTP on Render: under the name that Render gives the service, and under those that ALLOWED_HOSTS lists.
import { serveHttp } from "tenon/node";
import { server } from "./server.ts";

const http = await serveHttp(server, {
  host: "0.0.0.0",
  port: Number(process.env["PORT"] ?? 3000),
  allowedHosts: `${process.env["RENDER_EXTERNAL_HOSTNAME"] ?? "localhost"},${process.env["ALLOWED_HOSTS"] ?? "127.0.0.1"}`.split(","),
  clientAddress: "cf-connecting-ip", // the header in which the proxy before the server writes the address of its client
  health: true, // GET /livez and GET /readyz
  welcome: true, // the address opened in a browser says how to add the server
});
// The platform sends SIGTERM before it stops the server, a terminal SIGINT: running calls end first.
for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => void http.drain(8_000));
