// What a hosted service reads in .github/ is YAML that names what exists here.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const forms = readdirSync(join(root, ".github/ISSUE_TEMPLATE")).filter((name) => name !== "config.yml");
const workflows = readdirSync(join(root, ".github/workflows"));
const text = (path: string): string => readFileSync(join(root, ".github", path), "utf8");

// our own file
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };

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
  expect(
    form.body.filter(({ type, attributes }) => (type === "markdown" ? attributes.value : attributes.label) === undefined),
  ).toEqual([]);
  expect(form.body.find(({ id }) => id === "doctor")?.attributes.label).toContain("tenon doctor <server> --json");
});

test.each(workflows)("the workflow %s runs npm scripts that exist, and no step by a floating name", (name) => {
  const workflow = text(`workflows/${name}`);
  expect(parse(workflow)).toMatchObject({ name: expect.any(String) as string, jobs: expect.any(Object) as object });
  const named = [...workflow.matchAll(/\bnpm run ([\w:-]+)/g)].map((match) => match[1]!);
  expect(named.filter((script) => !(script in scripts))).toEqual([]);
  const used = [...workflow.matchAll(/uses: (\S+)/g)].map((match) => match[1]!);
  expect(used.filter((action) => !/^[\w-]+\/[\w-]+@v\d+$|^\.\//.test(action))).toEqual([]);
});

test("CODEOWNERS names paths that exist", () => {
  const paths = [...text("CODEOWNERS").matchAll(/^(\/\S+)/gm)].map((match) => match[1]!);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
