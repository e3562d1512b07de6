import { createFetchHandler } from "tenon/server";
import { createServer } from "./server.mjs";

const onListen = ({ port }) => console.log(JSON.stringify({ port }));
Deno.serve({ port: 0, hostname: "127.0.0.1", onListen }, createFetchHandler(createServer()));
