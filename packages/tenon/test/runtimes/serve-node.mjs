import { serveHttp } from "tenon/node";
import { createServer } from "./server.mjs";

const { port } = await serveHttp(createServer(), { port: 0 });
console.log(JSON.stringify({ port }));
