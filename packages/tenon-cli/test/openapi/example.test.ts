// The example calls an API of this test in place of the real one. Needs a build.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { json, startApi } from "../../../tenon/test/openapi/api.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));

it("openapi.ts calls the weather service", async () => {
  const { url, requests } = await startApi((response) => json(response, { title: "Storm" }));
  const call = [
    "call",
    "examples/openapi.ts",
    "activeAlerts",
    "--env",
    `WEATHER_URL=${url}`,
    "--arg",
    'area=["CA","OR"]',
    "--arg",
    "limit=2",
  ];
  const { stdout } = await promisify(execFile)(process.execPath, ["packages/tenon-cli/dist/main.js", ...call], {
    cwd: root,
    timeout: 100_000,
  });
  expect(stdout).toContain('"title"');
  expect(requests.map(({ target }) => target)).toEqual(["/alerts/active?area=CA,OR&limit=2"]);
});
