/** What `tenon gateway` says of servers whose messages deviate from the protocol. Needs a build. */
import { expect, it, onTestFinished } from "vitest";
import { connect } from "tenon";
import { oddServer } from "../../../tenon/test/field/odd-server.ts";
import { configFile } from "../../../tenon/test/gateway/support.ts";
import { MAIN } from "../cli/start-command.ts";

it.each([
  [false, ["odd__t"], "odd deviates from the protocol: result.tools[0].title is null"],
  [true, [], "odd: Malformed result of"],
])(
  "says what a server writes against the protocol, and refuses it if the file says so: strict %s [FD-04]",
  async (strict, listed, said) => {
    const tools = [{ name: "t", title: null, inputSchema: { type: "object" } }];
    const url = await oddServer((method) => (method === "tools/list" ? { tools } : undefined), {
      opening: { capabilities: { tools: {} } },
    });
    const made = await configFile({ tenon: { strict }, mcpServers: { odd: { url } } });
    let stderr = "";
    const words = [MAIN, "gateway", made.file, "--yes"];
    const client = await connect({
      command: process.execPath,
      args: words,
      stderr: { write: (chunk) => void (stderr += Buffer.from(chunk).toString()) },
      ...made.user,
    });
    onTestFinished(() => client.close());
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(listed);
    await expect.poll(() => stderr, { timeout: 30_000 }).toContain(said);
  },
);
