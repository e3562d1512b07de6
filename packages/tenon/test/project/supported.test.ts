// What is supported is written down, and what is written down is true (requirement S3).
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createJsonSchemaValidator, SUPPORTED_PROTOCOL_VERSIONS } from "tenon";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const page = (name: string): string => readFileSync(join(root, name), "utf8");

test("the README names every revision that is spoken, and no other [requirement S3]", () => {
  const row = /^\| Revisions \| (.*) \|$/m.exec(page("README.md"))![1]!;
  expect(row.split(", ").sort()).toEqual([...SUPPORTED_PROTOCOL_VERSIONS].sort());
});

test("docs/servers/schemas.md names the validated dialects; others are refused by name [requirement S3 A8.1]", async () => {
  const named = [...page("docs/servers/schemas.md").matchAll(/`(https?:\/\/json-schema\.org\/[^`]*)`/g)].map(
    (match) => match[1]!,
  );
  expect(named).toHaveLength(4);
  const validator = createJsonSchemaValidator();
  for (const $schema of named) {
    const check = await validator.compile({ $schema, type: "string" });
    expect([check("x").issues, check(1).issues?.length]).toEqual([undefined, 1]);
  }
  const draft4 = "http://json-schema.org/draft-04/schema";
  await expect((async () => validator.compile({ $schema: draft4, type: "string" }))()).rejects.toThrow(draft4);
});

test.each([
  ["docs/serving/http.md", ["sessions.idle", "sessions.max", "DELETE"]],
  ["docs/clients/http.md", ["cacheResponses"]],
])("%s says how sessions and kept results behave [requirement S3]", (name, words) => {
  for (const word of words) expect(page(name)).toContain(word);
});
