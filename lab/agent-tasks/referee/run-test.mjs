// One test of one task, as a program: exit code 0 if it is green, else 1 with the reason on stderr.
//   node run-test.mjs <task> <folder>
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Bench } from "../support/bench.mjs";
import { taskFolder } from "./tasks.mjs";

const [task, folder] = process.argv.slice(2);
const { test } = await import(pathToFileURL(join(taskFolder(task), "test.mjs")));
const bench = new Bench(folder);
try {
  await test(bench);
} catch (error) {
  const said = bench.complaints();
  process.stderr.write(
    `${error instanceof Error ? error.message : String(error)}\n${said === "" ? "" : `Its programs said: ${said}\n`}`,
  );
  process.exitCode = 1;
}
await bench.close();
process.exit();
