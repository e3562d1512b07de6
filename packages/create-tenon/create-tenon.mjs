#!/usr/bin/env node
// `npm create tenon weather` is `tenon init weather`, by the command of the same version.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [node, , ...typed] = process.argv;
const manifest = createRequire(import.meta.url).resolve("tenon-cli/package.json");
const main = join(manifest, "..", JSON.parse(readFileSync(manifest, "utf8")).bin["tenon-cli"]);
process.argv = [node, main, "init", ...typed];
await import(pathToFileURL(main).href);
