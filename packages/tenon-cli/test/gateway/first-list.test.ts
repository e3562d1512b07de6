/** The first list of `tenon gateway` is whole, and check tells warnings from problems. Needs a build. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { connect, type Client } from "tenon";
import { runCommand } from "../cli/run-command.ts";
import { MAIN } from "../cli/start-command.ts";
import { configFile, type ConfigSetup } from "../../../tenon/test/gateway/support.ts";

const SLOW = fileURLToPath(new URL("../../../tenon/test/gateway/slow-server.mjs", import.meta.url));
const slow = (ms: number): { command: string; args: string[] } => ({ command: process.execPath, args: [SLOW, String(ms)] });

const namesOf = async (client: Client): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);

describe("the command", () => {
  async function started(made: ConfigSetup): Promise<Client> {
    const client = await connect({
      command: process.execPath,
      args: [MAIN, "gateway", made.file, "--yes"],
      stderr: "ignore",
      ...made.user,
    });
    onTestFinished(() => client.close());
    return client;
  }

  it("waits on stdio as long as hosts grant a server, and keeps the lists in a file that only the user can read", async () => {
    const made = await configFile({ mcpServers: { s: slow(2_500) } });
    expect(await namesOf(await started(made))).toEqual(["s__late"]);
    const file = join(made.folder, "user", "tenon", "gateway-lists.json");
    await expect.poll(async () => (await stat(file).catch(() => undefined))?.mode.toString(8)).toMatch(/600$/);
  });

  it("check fails for a server that does not connect, and not for one whose other lists fail", async () => {
    const made = await configFile({ mcpServers: { s: slow(0) } });
    const fine = await runCommand(["gateway", "check", "--yes", made.file], made.user);
    expect(fine).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/s: 1 tool[^]*late[^]*warning: resources\/list: Method not found/) as string,
    });
    await made.write({ mcpServers: { s: slow(0), gone: { command: process.execPath, args: ["nowhere.mjs"] } } });
    const broken = await runCommand(["gateway", "check", "--yes", made.file], made.user);
    expect(broken).toMatchObject({ code: 1, stdout: expect.stringMatching(/s: 1 tool[^]*gone: /) as string });
  });
});
