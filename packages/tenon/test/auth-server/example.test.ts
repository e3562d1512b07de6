// The example of a protected server runs, with the package as it was built.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { freePort } from "../../../../scripts/free-port.mjs";

test("protected.ts closes the door, lets its user in, and lets them do more when they ask for more [M1.2 M1.6]", async () => {
  const root = fileURLToPath(new URL("../../../..", import.meta.url));
  const PORT = String(await freePort());
  const env = { ...process.env, PORT };
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", "jiti/register", "examples/protected.ts"], {
    cwd: root,
    env,
    timeout: 25_000,
  });
  expect(stdout).toBe(
    `401 Bearer resource_metadata="http://127.0.0.1:${PORT}/.well-known/oauth-protected-resource/mcp"\n` +
      "The notes of ann\nCleared for ann\n",
  );
});
