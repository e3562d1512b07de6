// A program that starts and never answers. It writes its id into the file that its argument names.
import { renameSync, writeFileSync } from "node:fs";

const file = process.argv[2];
writeFileSync(`${file}.part`, String(process.pid));
renameSync(`${file}.part`, file);
process.stdin.resume();
setInterval(() => undefined, 60_000);
