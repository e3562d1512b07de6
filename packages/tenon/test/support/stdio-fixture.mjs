// The fixture server on the stdio of a process of its own, from the package as it was built.
import { serveStdio } from "tenon/node";
import { createFixtureServer } from "./fixture-server.mjs";

await serveStdio(createFixtureServer());
