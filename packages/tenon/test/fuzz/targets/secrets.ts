/** Sealed states and configuration files. */
import { McpError } from "../../../src/jsonrpc/mcp-error.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { ServerConfigError } from "../../../src/node/config/config-problem.ts";
import { parseConfigText } from "../../../src/node/config/config-text.ts";
import { readConfig } from "../../../src/node/config/read-config.ts";
import { requestStateSettings } from "../../../src/session/asking/options.ts";
import { RequestStates } from "../../../src/session/asking/rounds/request-states.ts";
import { assert, attemptOnly, type Target } from "./target.ts";

const states = new RequestStates(requestStateSettings({ keys: ["k".repeat(32)] }), {
  audience: "fuzz",
  clock: systemClock,
  warn: () => undefined,
});
const RECORD = { r: 1, c: "call", n: 1, a: [], s: [] };

/** Each pair of characters changes one character of a sealed state; what is left of it does not open, and says nothing. */
export const sealed: Target = {
  name: "states",
  kind: "text",
  async run(edits) {
    const text = await states.seal(states.withDeadline(RECORD), { binding: "b", share: "" });
    const changed = edited(text, edits);
    const opened = await states.open(changed, "b").then(
      () => "opened",
      (error: unknown) => (McpError.isMcpError(error) ? error.message : `threw ${String(error)}`),
    );
    assert(
      opened === (changed === text ? "opened" : "Invalid or expired requestState"),
      `${opened}: ${changed.length} of ${text.length} characters`,
    );
  },
};

function edited(text: string, edits: string): string {
  let changed = text;
  for (let i = 0; i + 1 < edits.length; i += 2) {
    const at = edits.charCodeAt(i) % (changed.length + 1);
    const character = edits.charCodeAt(i + 1);
    const inserted = character % 3 === 0 ? "" : String.fromCharCode(character & 0x7f);
    changed = changed.slice(0, at) + inserted + changed.slice(at + (character % 2));
  }
  return changed;
}

/** Is read, or refused with an error that says where. Nothing outside the file is read: `envFile` is left out. */
export const config: Target = {
  name: "config",
  kind: "text",
  async run(text) {
    const isRefusal = (error: unknown): boolean => error instanceof ServerConfigError;
    const parsed = attemptOnly(() => parseConfigText(text, "mcp.json"), isRefusal);
    if ("error" in parsed || typeof parsed.value !== "object" || parsed.value === null || text.includes("nvFile")) return;
    const read = await readConfig(parsed.value, {
      env: { HOME: "/home/u", SECRET: "s" },
      variables: { workspaceFolder: "/w" },
    }).catch((error: unknown) => {
      assert(isRefusal(error), `reading fails with ${String(error)}`);
      return {};
    });
    for (const server of Object.values(read))
      assert(server.type === "stdio" ? typeof server.command === "string" : "url" in server, "a server");
  },
};
