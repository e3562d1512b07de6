import { serveStdio } from "tenon/node";
import { createServer } from "./server.mjs";

await serveStdio(createServer());
