// The page "Works with" is what `npm run field -- --page` wrote, and belongs to the names and versions of lab/field/field.json.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { explained, type Row } from "../../../../lab/field/differences.mjs";
import { asPage } from "../../../../lab/field/page.mjs";
import { rows } from "../../../../lab/field/rows.mjs";

interface Languages {
  readonly partners: readonly { readonly id: string; readonly sdk: string }[];
  readonly pairs: readonly { readonly deviations: readonly { readonly why?: string }[] }[];
}
interface Results {
  readonly servers: readonly Row[];
  readonly clients: readonly Row[];
}
interface Field {
  readonly servers: Readonly<Record<string, { readonly version: string }>>;
  readonly clients: Readonly<Record<string, { readonly version: string }>>;
  readonly leftOut: Readonly<Record<string, string>>;
}
interface Explained {
  readonly name: string;
  readonly reason: string;
  readonly isRare?: boolean;
}

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const read = (file: string): string => readFileSync(root + file, "utf8");
const results = JSON.parse(read("docs/project/works-with.json")) as Results; // our own files
const field = JSON.parse(read("lab/field/field.json")) as Field;
const reasons = JSON.parse(read("lab/field/explained.json")) as readonly Explained[];
const { peers } = JSON.parse(read("bench/languages/languages.json")) as {
  readonly peers: Readonly<Record<string, { readonly sdk: string; readonly supports: { readonly stdio: readonly string[] } }>>;
};
const deviationReasons = JSON.parse(read("lab/languages/explained.json")) as readonly {
  readonly why: string;
  readonly isRare?: boolean;
}[];

const languages = JSON.parse(read("docs/project/works-with-languages.json")) as Languages;

test("the page is made from the results", () => {
  expect(read("docs/project/works-with.md"), "run: npm run field -- --page").toBe(asPage(results, field, languages));
});

test("each SDK of another language was tried in the named version, and each deviation has a reason that is true of it", () => {
  // The others have a server over HTTP, and no client.
  const partners = Object.entries(peers).filter(([, { supports }]) => supports.stdio.length > 0);
  const named = partners.map(([id, { sdk }]) => `${id} ${sdk}`);
  expect(
    languages.partners.map(({ id, sdk }) => `${id} ${sdk}`),
    "run: npm run interop:languages -- --page",
  ).toEqual(named);
  const found = languages.pairs.flatMap(({ deviations }) => deviations.map(({ why }) => why));
  expect(found.filter((why) => why === undefined)).toEqual([]);
  expect(deviationReasons.filter(({ why, isRare }) => isRare !== true && !found.includes(why))).toEqual([]);
});

test.each(["servers", "clients"] as const)("each of the %s was tried in the version that is named, and no other", (kind) => {
  const named = rows.filter((row) => row.kind === kind).map(({ name, version }) => `${name}@${version}`);
  expect(
    results[kind].map(({ name, version }) => `${name}@${version}`),
    "run: npm run field -- --install --page",
  ).toEqual(named);
});

test("versions are exact", () => {
  expect(rows.filter(({ version }) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});

test("what is left out has a reason, and was not tried", () => {
  expect(Object.values(field.leftOut).filter((reason) => reason.trim() === "")).toEqual([]);
  expect(Object.keys(field.leftOut).filter((name) => name in field.servers || name in field.clients)).toEqual([]);
});

test("no difference is without a reason, and no reason is without a difference", () => {
  const found = [...results.servers, ...results.clients].flatMap((row) =>
    explained(row).map((one) => ({ name: row.name, ...one })),
  );
  expect(found.filter(({ reason }) => reason === undefined)).toEqual([]);
  const used = new Set(found.map(({ reason }) => reason));
  expect(reasons.filter(({ reason, isRare }) => isRare !== true && !used.has(reason))).toEqual([]);
});
