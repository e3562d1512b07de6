/** Skills as a server offers them, on every way to connect. */
import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import type { JsonObject } from "tenon";
import { ErrorCode } from "tenon";
import { failureOf } from "../../support/failure-of.ts";
import { describeMatrix, open } from "../../support/matrix.ts";
import { manifest, PDF, serverOf, SKILLS } from "./skills.ts";

const sha256 = (content: string | Uint8Array): string => `sha256:${createHash("sha256").update(content).digest("hex")}`;
const invalid = { code: ErrorCode.InvalidParams };

describeMatrix("A server of skills", ({ connect }) => {
  it("declares them together with resources [Q1]", async () => {
    const { serverCapabilities } = await connect(serverOf(PDF));
    expect(serverCapabilities.extensions?.[SKILLS]).toEqual({ directoryRead: true });
    expect(serverCapabilities.resources).toEqual({ subscribe: true, listChanged: true });
  });

  it("lists every skill with all its files, their digests and sizes [Q2 Q3]", async () => {
    const client = await connect(serverOf(PDF, { ttlMs: 60_000, cacheScope: "public" }));
    const { skills, ttlMs, cacheScope } = await client.request("skills/list");
    expect({ ttlMs, cacheScope }).toEqual({ ttlMs: 60_000, cacheScope: "public" });
    const [pdf, sums] = skills as JsonObject[];
    expect(sums).toMatchObject({ uri: "skill://sums/SKILL.md", frontmatter: { name: "sums", description: "How to do sums" } });
    expect(pdf!["frontmatter"]).toEqual({ name: "pdf", description: "How to do pdf" });
    const files = Object.entries(PDF).filter(([path]) => path.startsWith("pdf/"));
    const expected = files.map(([path, content]) => {
      const uri = `skill://${path.split("/").map(encodeURIComponent).join("/")}`;
      return { uri, digest: sha256(content), size: Buffer.from(content).byteLength };
    });
    expect(pdf!["resources"]).toHaveLength(4);
    expect(pdf!["resources"]).toEqual(expect.arrayContaining(expected));
  });

  it("pages its skills without a repetition, and refuses a cursor that it did not make [Q3]", async () => {
    const files = Object.fromEntries(Array.from({ length: 7 }, (_, i) => [`s${i}/SKILL.md`, manifest(`s${i}`)]));
    const client = await connect(serverOf(files, { pageSize: 3 }));
    const seen: string[] = [];
    const sizes: number[] = [];
    let cursor: unknown;
    do {
      const page = await client.request("skills/list", cursor === undefined ? {} : { cursor });
      const skills = page["skills"] as { uri: string }[];
      sizes.push(skills.length);
      seen.push(...skills.map(({ uri }) => uri));
      cursor = page["nextCursor"];
    } while (cursor !== undefined);
    expect(sizes).toEqual([3, 3, 1]);
    expect(seen).toEqual(Array.from({ length: 7 }, (_, i) => `skill://s${i}/SKILL.md`));
    for (const made of ["", "no base64!", btoa("other"), 7]) {
      expect(await failureOf(client.request("skills/list", { cursor: made }))).toMatchObject(invalid);
    }
  });

  it("gives one skill by its URI, and -32602 for any other [Q4]", async () => {
    const client = await connect(serverOf(PDF));
    const { skill, ...rest } = await client.request("skills/get", { uri: "skill://sums/SKILL.md" });
    expect(skill).toMatchObject({ uri: "skill://sums/SKILL.md", resources: [{ uri: "skill://sums/SKILL.md" }] });
    expect(rest).toMatchObject({ ttlMs: 0, cacheScope: "private" });
    expect(rest).not.toHaveProperty("nextCursor");
    for (const uri of ["skill://none/SKILL.md", "skill://pdf/references/FORMS.md", 7, undefined]) {
      expect(await failureOf(client.request("skills/get", { uri } as JsonObject))).toMatchObject(invalid);
    }
  });

  it("lists the children of a folder, folders among them, and refuses a file [Q5]", async () => {
    const client = await connect(serverOf(PDF));
    const read = async (uri: string): Promise<unknown> =>
      (await client.request("resources/directory/read", { uri }))["resources"];
    expect(await read("skill://pdf")).toEqual([
      { uri: "skill://pdf/SKILL.md", name: "SKILL.md", mimeType: "text/markdown" },
      { uri: "skill://pdf/logo.png", name: "logo.png", mimeType: "image/png" },
      { uri: "skill://pdf/references", name: "references", mimeType: "inode/directory" },
    ]);
    expect(await read("skill://pdf/references")).toHaveLength(2);
    expect(await read("skill://pdf/")).toEqual(await read("skill://pdf"));
    for (const uri of ["skill://pdf/SKILL.md", "skill://none", "skill://pdf//"])
      expect(await failureOf(read(uri))).toMatchObject(invalid);
  });

  it("serves the bytes of each file as they are, under every spelling of its URI [Q2]", async () => {
    const client = await connect(serverOf(PDF));
    const read = async (uri: string): Promise<unknown> => (await client.readResource(uri)).contents;
    expect(await read("skill://pdf/references/Q%26A.md")).toEqual([
      { uri: "skill://pdf/references/Q%26A.md", mimeType: "text/markdown", text: "Questions\r\n" },
    ]);
    expect(await read("skill://pdf/references/Q&A.md")).toMatchObject([
      { uri: "skill://pdf/references/Q&A.md", text: "Questions\r\n" },
    ]);
    expect(await read("skill://pdf/logo.png")).toMatchObject([{ mimeType: "image/png", blob: "iVD/AA==" }]);
    for (const uri of ["skill://pdf/none.md", "skill://pdf/../sums/SKILL.md", "skill://pdf/references"]) {
      expect(await failureOf(read(uri))).toMatchObject({ message: expect.stringContaining("not found") as string });
    }
  });

  it("lists each SKILL.md among its resources, beside its own [Q1]", async () => {
    const server = serverOf(PDF, { prefix: "acme" });
    server.resource("test://own", {}, () => "own");
    const client = await connect(server);
    const { resources } = await client.listResources();
    expect(resources).toEqual([
      { uri: "test://own", name: "test://own" },
      { uri: "skill://acme/pdf/SKILL.md", name: "pdf", description: "How to do pdf", mimeType: "text/markdown" },
      { uri: "skill://acme/sums/SKILL.md", name: "sums", description: "How to do sums", mimeType: "text/markdown" },
    ]);
    expect((await client.readResource("test://own")).contents).toMatchObject([{ text: "own" }]);
    expect((await client.readResource("skill://acme/sums/SKILL.md")).contents).toMatchObject([{ text: PDF["sums/SKILL.md"] }]);
  });
});

const frontmatter = (yaml: string): string => `---\n${yaml}\n---\n`;
const good = "name: a\ndescription: d";

it.each([
  ["no frontmatter", "# Only Markdown", "must begin with YAML"],
  ["a frontmatter without an end", `---\n${good}\n`, "must begin with YAML"],
  ["another name than its folder", manifest("b"), 'folder must have the name "b"'],
  ["a name in upper case", frontmatter("name: A\ndescription: d"), '"name" must have'],
  ["no description", frontmatter("name: a"), '"description" must have'],
  ["a number in its metadata", frontmatter(`${good}\nmetadata:\n  v: 1.0`), '"metadata" must have strings only'],
  ["an anchor", frontmatter("name: a\ndescription: &x d\nlicense: MIT"), "line 3: anchors"],
  ["an alias", frontmatter("name: a\ndescription: *x"), "alias"],
  ["a tag", frontmatter("name: a\ndescription: !!str d"), "line 3: tags"],
  ["a tab as indentation", frontmatter("name: a\ndescription: d\nmetadata:\n\ta: b"), "Tabs"],
  ["a mapping in a plain value", frontmatter("name: a\ndescription: d: e"), "SKILL.md, line 3"],
  ["a pair in a list", frontmatter(`${good}\nlist: [a: b]`), "[a: b] is not allowed"],
  ["a quoted value on two lines", frontmatter('name: a\ndescription: "d\n  e"'), "on one line"],
  ["a block with an indentation number", frontmatter("name: a\ndescription: |2\n  d"), "indentation number"],
  ["a number that JSON has not", frontmatter(`${good}\nlicense: 0x1F`), "0x1F is not a number in JSON"],
  ["a key that is no string", frontmatter(`${good}\n1: b`), "keys must be strings"],
  ["a key __proto__", frontmatter(`${good}\n__proto__: b`), "__proto__"],
  ["a key twice", frontmatter(`${good}\nname: a`), "unique"],
  ["33 levels", frontmatter(`${good}\nx: ${"[".repeat(40)}${"]".repeat(40)}`), "deeper than 32"],
  ["bytes that are not UTF-8", Uint8Array.of(0x2d, 0x2d, 0x2d, 0x0a, 0xff), "not valid"],
])("a skill with %s is left out, the others are served and the operator is told [Q2]", async (_what, text, reason) => {
  const told: Error[] = [];
  const client = await open("direct", serverOf({ "a/SKILL.md": text, "ok/SKILL.md": manifest("ok") }, {}, told));
  const { skills } = await client.request("skills/list");
  expect(skills).toMatchObject([{ uri: "skill://ok/SKILL.md" }]);
  expect(told).toHaveLength(1);
  expect(told[0]!.message).toContain(reason);
  expect(told[0]!.message).toMatch(/^Skill "(skill:\/\/)?a/);
  await client.close();
});

it.each([
  ["a byte order mark", `\uFEFF${manifest("a")}`],
  ["CRLF", manifest("a").replaceAll("\n", "\r\n")],
  ["no line break at the end", `---\n${good}\n---`],
  ["dates, folded and literal values", frontmatter(`${good}\nlicense: >-\n  x\n  y\nsince: 2020-01-01\nlist: [{a: b}, c]`)],
])("a SKILL.md with %s is served byte for byte [Q2]", async (_what, text) => {
  const client = await open("direct", serverOf({ "a/SKILL.md": text }));
  const { skills } = await client.request("skills/list");
  expect(skills).toMatchObject([{ resources: [{ digest: sha256(text), size: Buffer.byteLength(text) }] }]);
  expect((await client.readResource("skill://a/SKILL.md")).contents).toMatchObject([{ text }]);
  await client.close();
});

it("a skill of 513 files, or of more than 16 MiB, is left out [Q6]", async () => {
  const told: Error[] = [];
  const many = Object.fromEntries(Array.from({ length: 512 }, (_, i) => [`many/${i}.txt`, ""]));
  const files = {
    ...many,
    "many/SKILL.md": manifest("many"),
    "big/SKILL.md": manifest("big"),
    "big/x": new Uint8Array(16 * 1024 * 1024),
  };
  const client = await open("direct", serverOf(files, {}, told));
  expect((await client.request("skills/list"))["skills"]).toEqual([]);
  expect(told.map(({ message }) => message)).toEqual([
    expect.stringContaining("more than 16777216 bytes"),
    expect.stringContaining("513 files, at most 512"),
  ]);
  await client.close();
});

it("a folder inside a skill belongs to it, also with a SKILL.md of its own [Q2]", async () => {
  const files = { "a/SKILL.md": manifest("a"), "a/inner/SKILL.md": manifest("inner") };
  const client = await open("direct", serverOf(files));
  expect((await client.request("skills/list"))["skills"]).toMatchObject([{ uri: "skill://a/SKILL.md", resources: [{}, {}] }]);
  await client.close();
});

it("a record that is one skill itself is served under its name [Q2]", async () => {
  const client = await open("direct", serverOf({ "SKILL.md": manifest("whole"), "b.txt": "b" }));
  const { skills } = await client.request("skills/list");
  expect(skills).toMatchObject([
    { uri: "skill://whole/SKILL.md", resources: [{ uri: "skill://whole/SKILL.md" }, { uri: "skill://whole/b.txt" }] },
  ]);
  await client.close();
});

it.each([
  [{ pageSize: 0 }, /pageSize/],
  [{ ttlMs: -1 }, /ttlMs/],
  [{ prefx: "acme" } as object, /Did you mean "prefix"/],
])("refuses the options %o", (options, message) => {
  expect(() => serverOf(PDF, options)).toThrow(message);
});
