// What a hosted service reads in .github/ is YAML that names what exists here.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const forms = readdirSync(join(root, ".github/ISSUE_TEMPLATE")).filter((name) => name !== "config.yml");
const text = (path: string): string => readFileSync(join(root, ".github", path), "utf8");

interface Form {
  readonly name: string;
  readonly description: string;
  readonly body: readonly {
    readonly type: string;
    readonly id?: string;
    readonly attributes: { readonly label?: string; readonly value?: string };
  }[];
}

test.each(forms)("the issue form %s asks for the report of tenon doctor", (name) => {
  const form = parse(text(`ISSUE_TEMPLATE/${name}`)) as Form; // its members are compared below
  expect([form.name, form.description]).toEqual([expect.any(String), expect.any(String)]);
  const ids = form.body.flatMap(({ id }) => id ?? []);
  expect(new Set(ids).size).toBe(ids.length);
  expect(form.body.filter(({ type, attributes }) => (type === "markdown" ? attributes.value : attributes.label) === undefined)).toEqual([]);
  expect(form.body.find(({ id }) => id === "doctor")?.attributes.label).toContain("tenon doctor <server> --json");
});

test("CODEOWNERS names paths that exist", () => {
  const paths = [...text("CODEOWNERS").matchAll(/^(\/\S+)/gm)].map((match) => match[1]!);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
