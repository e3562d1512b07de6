import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { expand } from "./config-variables.ts";
import { demandOf, demandOfWhole, type DemandPlaces } from "./demands.ts";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tenon-demands-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const NO_EFFECTS = { written: [], told: [] };

/** The places of a configuration in a folder, without variables in paths. */
const placesIn = (folder: string): DemandPlaces => ({ folder, pathOf: (envFile) => resolve(folder, envFile) });

it("another origin is another demand, and another path is not", () => {
  const folder = newFolder();
  const digestFor = (url: string): string => demandOf("a", { url, headers: { a: "${env:TOKEN}" } }, placesIn(folder))!.digest;
  expect(digestFor("https://a.example/x")).toBe(digestFor("https://a.example/y"));
  for (const other of ["https://b.example/x", "http://a.example/x", "https://a.example:8443/x", "https://${env:X}.example/x"])
    expect(digestFor(other), other).not.toBe(digestFor("https://a.example/x"));
});

it("another host in the default of a variable is another demand, and is shown", () => {
  const folder = newFolder();
  const demandFor = (url: string) => demandOf("a", { url, headers: { a: "${env:TOKEN}" } }, placesIn(folder))!;
  const pairs = [
    ["${U:-https://good.example/}mcp", "${U:-https://evil.example/}mcp"],
    ["${U:-https://good.example}", "${U:-https://evil.example}"],
    ["https://${H:-a/}.good.example/x", "https://${H:-a/}.evil.example/x"],
    ["https://${H:-good.example?}/x", "https://${H:-evil.example?}/x"],
    ["${env:SCHEME}://good.example/x", "${env:SCHEME}://evil.example/x"],
    ["https://${A:-u}@good.example/x", "https://${A:-u}@evil.example/x"],
    ["https:${S:-//}good.example/x", "https:${S:-//}evil.example/x"],
    ["https:/${H:-good.example}/x", "https:/${H:-evil.example}/x"],
    ["https:///${H:-good.example}/x", "https:///${H:-evil.example}/x"],
  ] as const;
  for (const [good, evil] of pairs) {
    expect(demandFor(evil).digest, evil).not.toBe(demandFor(good).digest);
    expect(demandFor(evil).origins.join(), evil).toContain("evil.example");
  }
  expect(demandFor("https://a.example/${P:-x/y}").digest).toBe(demandFor("https://a.example/${P:-x/z}").digest);
});

it("property: two URLs that are one demand lead to one place, whatever the variables hold", () => {
  const folder = newFolder();
  const piece = fc.constantFrom(
    ...["https:", "//", "/", "\\\\", "?", "#", "@", ":", "8443", "good.example", "evil.example", ".", " ", "\t", "u"],
    ...[
      "${A}",
      "${env:A}",
      "${A:-good.example}",
      "${A:-evil.example}",
      "${A:-/}",
      "${A:-@}",
      "${A:-https://evil.example/}",
      "${A:-//u@}",
    ],
  );
  const url = fc.array(piece, { minLength: 1, maxLength: 7 }).map((pieces) => pieces.join(""));
  const pair = fc.tuple(fc.constantFrom("https://", "https:", "https:/", "https:///", ""), url, url);
  const value = fc.constantFrom(undefined, "", "x", "a/b", "good.example", "https://good.example", "u@");
  const originIn = (text: string, A: string | undefined): string | undefined => {
    const whole = expand(text, { env: { A }, given: {}, folder }, { isSecret: false, onProblem: () => undefined });
    return URL.canParse(whole) ? new URL(whole).origin : undefined;
  };
  const headers = { a: "${env:TOKEN}" };
  fc.assert(
    fc.property(pair, value, ([start, left, right], A) => {
      const [one, other] = [start + left, start + right];
      const digests = [one, other].map((text) => demandOf("a", { url: text, headers }, placesIn(folder))!.digest);
      if (digests[0] !== digests[1]) return;
      const origins = [one, other].map((text) => originIn(text, A));
      if (!origins.includes(undefined)) expect(origins[0]).toBe(origins[1]);
    }),
    { numRuns: 3_000 },
  );
});

it("an issuer, however it is written, is where an entry goes", () => {
  const folder = newFolder();
  const client = { id: "x", secret: "${env:SECRET}" };
  for (const issuer of [
    "https://evil.example",
    "https:evil.example",
    "https:\\\\evil.example",
    " HTTPS://evil.example",
    "${I:-https:evil.example}",
  ]) {
    const auth = { type: "clientCredentials", issuer, client };
    expect(demandOf("a", { url: "https://a.example", tenon: { auth } }, placesIn(folder))?.origins.join(), issuer).toContain(
      "evil.example",
    );
    expect(
      demandOfWhole({ logins: { identityProvider: { issuer, client } } }, NO_EFFECTS, placesIn(folder))?.origins.join(),
      issuer,
    ).toContain("evil.example");
  }
  const other = (url: string) =>
    demandOfWhole({ store: [`${url}?p=\${env:P}`, "redis://plain.example:1/0"] }, NO_EFFECTS, placesIn(folder))?.origins;
  expect(other("redis://a.example")).toEqual(["redis://a.example?p=${env:P}", "redis://plain.example:1"]);
});

it("each member that says what a program is makes another demand", () => {
  const folder = newFolder();
  const digest = (more: object): string => demandOf("a", { command: "x", ...more }, placesIn(folder))!.digest;
  const others = [
    {},
    { command: "y" },
    { args: ["1"] },
    { args: ["2"] },
    { cwd: "/a" },
    { env: { A: "1" } },
    { env: { A: "2" } },
  ];
  const digests = [...others, { envFile: "none" }].map(digest);
  expect(new Set(digests).size).toBe(digests.length);
  expect(digest({ disabled: false, type: "stdio" })).toBe(digests[0]);
  expect(demandOf("a", { command: 7 }, placesIn(folder))).toBeUndefined();
  expect(demandOf("a", "npx", placesIn(folder))).toBeUndefined();
});

it("a program of the same text in a file of another folder is another demand, by a link to the same folder it is not", () => {
  const [folder, other] = [newFolder(), newFolder()];
  const digestIn = (at: string): string => demandOf("a", { command: "node", args: ["server.js"] }, placesIn(at))!.digest;
  expect(digestIn(other)).not.toBe(digestIn(folder));
  symlinkSync(folder, join(other, "link"));
  expect(digestIn(join(other, "link"))).toBe(digestIn(folder));
  const headers = { a: "${env:TOKEN}" };
  const sentFrom = (at: string): string => demandOf("a", { url: "https://a.example", headers }, placesIn(at))!.digest;
  expect(sentFrom(other)).toBe(sentFrom(folder));
});

it("another text of the file of variables of a program is another demand", () => {
  const folder = newFolder();
  const digest = (): string => demandOf("a", { command: "x", envFile: "variables" }, placesIn(folder))!.digest;
  const missing = digest();
  writeFileSync(join(folder, "variables"), "A=1");
  const first = digest();
  writeFileSync(join(folder, "variables"), "A=2");
  expect(new Set([missing, first, digest()]).size).toBe(3);
});

it("a file of variables that is named by variables is followed, and nothing but a file is read", () => {
  const [folder, other] = [newFolder(), newFolder()];
  const places: DemandPlaces = { folder, pathOf: (envFile) => resolve(folder, envFile.replace("${userHome}", other)) };
  const demand = () => demandOf("a", { command: "x", envFile: "${userHome}/.env" }, places)!;
  writeFileSync(join(other, ".env"), "A=1");
  const { digest, files } = demand();
  expect(files).toEqual([{ written: "${userHome}/.env", path: join(realpathSync(other), ".env"), isOutside: true }]);
  writeFileSync(join(other, ".env"), "NODE_OPTIONS=--require=/elsewhere/evil.js");
  expect(demand().digest).not.toBe(digest);
  for (const endless of ["/dev/zero", other]) expect(demandOf("a", { command: "x", envFile: endless }, places)).toBeDefined();
});

it("a link in the folder to a file outside is outside; a file beside the configuration and one of /run/secrets are not", () => {
  const [folder, other] = [newFolder(), newFolder()];
  writeFileSync(join(other, "key"), "");
  symlinkSync(join(other, "key"), join(folder, "link"));
  writeFileSync(join(folder, "beside"), "");
  const headers = { a: "${file:link}", b: "${file:beside}", c: "${file:/run/secrets/x}", d: "${file:../other}" };
  const { files } = demandOf("a", { url: "https://a.example", headers }, placesIn(folder))!;
  expect(files.map(({ written, isOutside }) => [written, isOutside])).toEqual([
    ["link", true],
    ["beside", false],
    ["/run/secrets/x", false],
    ["../other", true],
  ]);
});

it("a URL without variables and files demands nothing, and neither does a separator of paths", () => {
  const places = placesIn("/a");
  expect(demandOf("a", { url: "https://a.example", headers: { a: "b" } }, places)).toBeUndefined();
  expect(demandOf("a", { url: "https://a.example${/}x" }, places)).toBeUndefined();
});

it("a file of a folder whose name begins with that of the configuration is outside", () => {
  const parent = newFolder();
  for (const name of ["project", "project-evil"]) mkdirSync(join(parent, name));
  writeFileSync(join(parent, "project-evil", "key"), "");
  const folder = join(parent, "project");
  const { files } = demandOf("a", { url: "https://a.example", headers: { a: "${file:../project-evil/key}" } }, placesIn(folder))!;
  expect(files.map(({ isOutside }) => isOutside)).toEqual([true]);
});

it("a file that settings write outside the folder is asked for, also where a link leads that does not exist yet", () => {
  const folder = newFolder();
  mkdirSync(join(folder, "own"));
  symlinkSync("..", join(folder, "own", "link"));
  const writing = (...written: string[]) => demandOfWhole({}, { written, told: [] }, placesIn(join(folder, "own")));
  expect(writing("log", "./deep/er/log", "../own/log")).toBeUndefined();
  const outside = writing("log", "link/new/log", "../log")!;
  expect(outside).toMatchObject({ server: undefined, program: undefined, variables: [], files: [], origins: [] });
  const real = realpathSync(folder);
  expect(outside.written).toEqual([
    { written: "link/new/log", path: join(real, "new", "log"), isOutside: true },
    { written: "../log", path: join(real, "log"), isOutside: true },
  ]);
  expect(writing("../log")!.digest).toBe(writing("link/log")!.digest);
  expect(writing("../log")!.digest).not.toBe(writing("../log2")!.digest);
});

it("a variable in a text for every caller is sent to every caller, and a plain text is not", () => {
  const places = placesIn(newFolder());
  expect(demandOfWhole({}, { written: [], told: ["Be brief"] }, places)).toBeUndefined();
  expect(demandOfWhole({}, { written: [], told: ["Say ${TOKEN}"] }, places)).toMatchObject({
    variables: ["TOKEN"],
    origins: ["every caller"],
  });
});
