/** From the file of a host to servers that answer. Needs a build. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { loadConfig, serveHttp } from "tenon/node";
import { grouped, serverWith, statesOf } from "./support.ts";

test("the servers of a configuration file are connected to, and their secrets appear in no message [SG-12 R21]", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tenon-config-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const http = await serveHttp(serverWith("http", "ping"), { port: 0 });
  onTestFinished(() => http.close());
  const fixture = fileURLToPath(new URL("fixtures/ours.mjs", import.meta.url));
  const path = join(folder, "mcp.json");
  writeFileSync(
    path,
    `{ // as in VS Code
      "servers": {
        "ours": { "command": ${JSON.stringify(process.execPath)}, "args": [${JSON.stringify(fixture)}],
          "env": { "GREETING": "\${TOKEN}" } },
        "http": { "type": "http", "url": "\${env:ENDPOINT}", "headers": { "Authorization": "Bearer \${TOKEN}" } },
        "gone": { "type": "sse", "url": "http://127.0.0.1:1/", "headers": { "X-Key": "\${TOKEN}" } },
        "program": { "command": "no-such-program", "env": { "KEY": "\${TOKEN}" } },
        "off": { "command": "x", "disabled": true },
      } }`,
  );
  const servers = await loadConfig(path, { env: { TOKEN: "s3cret", ENDPOINT: http.url } });
  const { group, errors } = await grouped(servers, { readyTimeout: Infinity });
  expect(statesOf(group)).toMatchObject({ ours: "connected", http: "connected" });
  expect([...group.servers.keys()]).toEqual(["ours", "http", "gone", "program"]);
  expect((await group.callTool("ours__hello")).text).toBe("Hello from s3cret");
  expect((await group.callTool("http__ping")).text).toBe("http.ping");
  expect(errors.length).toBeGreaterThanOrEqual(2);
  expect(JSON.stringify([errors, [...group.servers]])).not.toContain("s3cret");
});
