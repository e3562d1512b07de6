import { createFetchHandler } from "tenon/server";
import { createServer } from "./server.mjs";

// A worker learns that a client has left when it next writes to it.
export default { fetch: createFetchHandler(createServer(), { streams: { keepAlive: 200 } }) };
