// `npm run demo` in full: the official servers, and the official clients in every revision. Needs a build.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

interface Row {
  client: string;
  server: string;
  revision: string;
  what: string;
  ok: boolean;
  got: string;
}

test("everything in the demonstration is as expected", () => {
  const root = fileURLToPath(new URL("../../../..", import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/demo.mjs", "--json", "--no-build"], {
    cwd: root,
    encoding: "utf8",
    timeout: 110_000,
  });
  expect(stderr).toBe("");
  const { rows } = JSON.parse(stdout) as { rows: Row[] };
  expect(rows.filter((row) => !row.ok)).toEqual([]);
  expect(status).toBe(0);
  const pairs = new Set(
    rows.map(({ client, server, revision }) => `${client.replace(/ .*/, "")} → ${server.replace(/ .*/, "")} ${revision}`),
  );
  expect([...pairs]).toEqual([
    "tenon → server-everything 2025-11-25",
    "tenon → server-filesystem 2025-11-25",
    "tenon → server-memory 2025-11-25",
    ...["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"].map((revision) => `sdk → examples/everything.ts ${revision}`),
    ...["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"].map(
      (revision) => `client → examples/everything.ts ${revision}`,
    ),
  ]);
});
