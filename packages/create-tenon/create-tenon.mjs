#!/usr/bin/env node
// `npm create tenon weather` is `tenon init weather`, by the Tenon of the same version.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const [node, , ...typed] = process.argv;
const main = join(dirname(createRequire(import.meta.url).resolve("tenon/package.json")), "dist", "cli", "main.js");
process.argv = [node, main, "init", ...typed];
await import(pathToFileURL(main).href);
