import { createFetchHandler } from "tenon/server";
import { createServer } from "./server.mjs";

// Bun cuts what is silent for `idleTimeout` seconds, by default before the first sign of life on a quiet stream.
const { port } = Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 30, fetch: createFetchHandler(createServer()) });
console.log(JSON.stringify({ port }));
