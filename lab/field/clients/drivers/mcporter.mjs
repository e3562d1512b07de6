// mcporter: a runtime of named servers.
import { createRuntime } from "mcporter";

export async function open({ program, url }) {
  const command = url ? { kind: "http", url: new URL(url) } : { kind: "stdio", ...program };
  const runtime = await createRuntime({ servers: [{ name: "s", command, env: program?.env }] });
  return {
    list: async () => (await runtime.listTools("s")).map(({ name }) => name),
    call: (name, args) => runtime.callTool("s", name, { args }),
    close: () => runtime.close(),
  };
}
