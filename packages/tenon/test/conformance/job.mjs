// Runs one job against a real server: `npm run -s fixture:job -- JOB.json`. Standard output is JSON lines, nothing else.
import { readFile } from "node:fs/promises";
import { runJob } from "./run-job.mjs";

const job = JSON.parse(await readFile(process.argv.at(-1), "utf8"));
const connected = await runJob(job, (line) => process.stdout.write(`${line}\n`));
process.exitCode = connected ? 0 : 1;
