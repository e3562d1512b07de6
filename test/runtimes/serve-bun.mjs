import { createFetchHandler } from "tenon/server";
import { createServer } from "./server.mjs";

const { port } = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: createFetchHandler(createServer()) });
console.log(JSON.stringify({ port }));
