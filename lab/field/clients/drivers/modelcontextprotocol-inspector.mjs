// The official inspector from a shell: each question is a run of its command.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const command = fileURLToPath(new URL("node_modules/.bin/mcp-inspector", import.meta.url));
const run = promisify(execFile);

export async function open({ program, url }) {
  const target = url ? [url, "--transport", "http"] : [program.command, ...program.args];
  const ask = async (...args) => {
    const { stdout } = await run(command, ["--cli", ...target, ...args], { maxBuffer: 1 << 26 });
    return JSON.parse(stdout);
  };
  await ask("--method", "tools/list");
  return {
    list: async () => (await ask("--method", "tools/list")).tools.map(({ name }) => name),
    call: (name, args) => {
      const given = Object.entries(args).flatMap(([key, value]) => ["--tool-arg", `${key}=${JSON.stringify(value)}`]);
      return ask("--method", "tools/call", "--tool-name", name, ...given);
    },
    close: () => undefined,
  };
}
