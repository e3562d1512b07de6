// The same server for every runtime that serves `{ fetch }`: Bun, Deno, workerd.
import { createFetchHandler } from "tenon/server";
import { server } from "./everything/server.mjs";

export default { fetch: createFetchHandler(server, { streams: { retry: 500 }, cors: { origins: "loopback" } }) };
