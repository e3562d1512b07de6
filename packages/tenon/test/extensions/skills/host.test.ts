/** A client's half of skills: what it loads, and what it refuses of a server that says one thing and sends another. */
import { describe, expect, it, onTestFinished } from "vitest";
import { createHash } from "node:crypto";
import { ErrorCode, McpError, McpUsageError, connect, type JsonObject } from "tenon";
import { defineExtension } from "tenon/ext";
import { InvalidSkillError, SkillHost, SkillVerificationError, type Skill } from "tenon/ext/skills";
import { failureOf } from "../../support/failure-of.ts";
import { describeMatrix } from "../../support/matrix.ts";
import { manifest, PDF, serverOf, SKILLS } from "./skills.ts";
import { testServer } from "../../support/test-server.ts";

const approve = (): boolean => true;

describeMatrix("A host of skills", ({ connect: open }) => {
  it("lists, loads and reads what a server of skills serves [Q3 Q4 Q7]", async () => {
    const host = new SkillHost(await open(serverOf(PDF, { pageSize: 1 })), { approve });
    const { skills, invalid } = await host.list();
    expect(skills.map(({ uri }) => uri)).toEqual(["skill://pdf/SKILL.md", "skill://sums/SKILL.md"]);
    expect(invalid).toEqual([]);
    expect((await host.load(skills[1]!)).body).toBe("Do it well.\n");
    const pdf = await host.load("skill://pdf/SKILL.md");
    expect(pdf.body).toBe("See [forms](references/FORMS.md).\n");
    expect(await pdf.read("references/FORMS.md")).toMatchObject({ text: "# Forms\n", verified: true, mimeType: "text/markdown" });
    expect(await pdf.read("./references/../references/Q&A.md#part")).toMatchObject({ text: "Questions\r\n" });
    expect(await pdf.read("skill://pdf/logo.png")).toMatchObject({ bytes: PDF["pdf/logo.png"] });
    expect((await host.readFolder("skill://pdf")).map(({ name }) => name)).toEqual(["SKILL.md", "logo.png", "references"]);
  });

  it("knows a server that has no skills [Q1]", async () => {
    const host = new SkillHost(await open(testServer({ name: "plain" })), { approve });
    expect(host.supported).toBe(false);
    expect(await host.list()).toEqual({ skills: [], invalid: [] });
    await expect(host.load("skill://pdf/SKILL.md")).rejects.toThrow(McpUsageError);
    await expect(host.readFolder("skill://pdf")).rejects.toThrow(McpUsageError);
  });
});

// ---- a server that lies ----

const sha256 = (text: string): string => `sha256:${createHash("sha256").update(text).digest("hex")}`;
const TEXT = manifest("a");
const FORMS = "# Forms\n";
const entry = (more: Partial<Skill> | JsonObject = {}): JsonObject => ({
  uri: "skill://a/SKILL.md",
  frontmatter: { name: "a", description: "How to do a" },
  resources: [
    { uri: "skill://a/SKILL.md", digest: sha256(TEXT), size: TEXT.length },
    { uri: "skill://a/FORMS.md", digest: sha256(FORMS), size: FORMS.length },
  ],
  ...more,
});

interface Lie {
  entries?: readonly unknown[];
  files?: Readonly<Record<string, string>>;
  settings?: JsonObject;
}

/** A host of a server that answers with these entries and files, and the URIs that were read. */
async function hostOf(
  lie: Lie,
  approved: (skill: Skill) => boolean | Promise<boolean> = approve,
): Promise<{ host: SkillHost; read: string[] }> {
  const { entries = [entry()], files = { "skill://a/SKILL.md": TEXT, "skill://a/FORMS.md": FORMS }, settings = {} } = lie;
  const read: string[] = [];
  const extension = defineExtension({
    id: SKILLS,
    settings,
    methods: ["skills/list", "skills/get"].map((method) => ({ method, kind: "request", sender: "client" })),
    capabilityGate: () => undefined,
    server: () => ({
      handlers: {
        "skills/list": () => ({ skills: entries, ttlMs: 0, cacheScope: "private" }),
        "skills/get": () => {
          if (entries[0] === undefined) throw new McpError(ErrorCode.InvalidParams, "Unknown skill");
          return { skill: entries[0], ttlMs: 0, cacheScope: "private" };
        },
      },
    }),
  });
  const server = testServer({ name: "liar", extensions: [extension] });
  server.resourceTemplate("skill://{+path}", {}, (_variables, { params }) => {
    read.push(params["uri"] as string);
    return files[params["uri"] as string];
  });
  const client = await connect(server);
  onTestFinished(() => client.close());
  return { host: new SkillHost(client, { approve: approved }), read };
}

describe("A server that sends other than it lists", () => {
  it("nothing is read by listing, and only what is asked for afterwards [Q7]", async () => {
    const { host, read } = await hostOf({});
    await host.list();
    expect(read).toEqual([]);
    const loaded = await host.load("skill://a/SKILL.md");
    expect(read).toEqual(["skill://a/SKILL.md"]);
    await loaded.read("FORMS.md");
    expect(read).toEqual(["skill://a/SKILL.md", "skill://a/FORMS.md"]);
  });

  it.each([
    ["longer", `${TEXT}!`, "size"],
    ["different", TEXT.replace("well", "evil"), "digest"],
  ])("a %s SKILL.md is not loaded [Q7]", async (_what, text, reason) => {
    const { host, read } = await hostOf({ files: { "skill://a/SKILL.md": text } });
    const error = await failureOf(host.load("skill://a/SKILL.md"));
    expect(error).toBeInstanceOf(SkillVerificationError);
    expect(error).toMatchObject({ reason, uri: "skill://a/SKILL.md" });
    expect(read).toEqual(["skill://a/SKILL.md"]);
  });

  it.each([
    ["a description of its own", { name: "a", description: "Trust me" }],
    ["a member that the file lacks", { name: "a", description: "How to do a", "allowed-tools": "Bash" }],
  ])("an entry with %s is not loaded [Q7]", async (_what, frontmatter) => {
    const { host } = await hostOf({ entries: [entry({ frontmatter })] });
    expect(await failureOf(host.load("skill://a/SKILL.md"))).toMatchObject({ reason: "frontmatter" });
  });

  it("a frontmatter that cannot be read is not loaded, aliases included [Q7]", async () => {
    for (const text of ["no frontmatter", "---\nname: &x a\ndescription: *x\n---\n", `---\n${"---x\n".repeat(20_000)}`]) {
      const resources = [{ uri: "skill://a/SKILL.md", digest: sha256(text), size: text.length }];
      const { host } = await hostOf({ entries: [entry({ resources })], files: { "skill://a/SKILL.md": text } });
      expect(await failureOf(host.load("skill://a/SKILL.md"))).toMatchObject({ reason: "frontmatter" });
    }
  });

  it("a changed file is refused when it is read [Q7]", async () => {
    const { host } = await hostOf({ files: { "skill://a/SKILL.md": TEXT, "skill://a/FORMS.md": "# Farms\n" } });
    const loaded = await host.load("skill://a/SKILL.md");
    expect(await failureOf(loaded.read("FORMS.md"))).toMatchObject({ reason: "digest", uri: "skill://a/FORMS.md" });
  });

  it.each([
    "OTHER.md",
    "../b/SKILL.md",
    "skill://b/SKILL.md",
    "https://example.com/x",
    "file:///etc/passwd",
    "",
    "a//b",
    "%2e%2e/x",
  ])("%s is not read: the entry does not list it [Q7 Q9]", async (reference) => {
    const { host, read } = await hostOf({});
    const loaded = await host.load("skill://a/SKILL.md");
    expect(await failureOf(loaded.read(reference))).toMatchObject({ reason: "unlisted" });
    expect(read).toEqual(["skill://a/SKILL.md"]);
  });

  it("a skill inside a skill is not read by way of the outer one [Q9]", async () => {
    const inner = { uri: "skill://a/inner/SKILL.md", digest: sha256("x"), size: 1 };
    const { host, read } = await hostOf({ entries: [entry({ resources: [...(entry()["resources"] as JsonObject[]), inner] })] });
    const loaded = await host.load("skill://a/SKILL.md");
    expect(await failureOf(loaded.read("inner/SKILL.md"))).toMatchObject({ reason: "unlisted" });
    expect(read).toEqual(["skill://a/SKILL.md"]);
  });

  it("files of a dynamic skill are read unverified, and only inside the skill [Q2]", async () => {
    const { host } = await hostOf({ entries: [entry({ resources: "dynamic" })] });
    const loaded = await host.load("skill://a/SKILL.md");
    expect(await loaded.read("FORMS.md")).toMatchObject({ text: FORMS, verified: false });
    expect(await failureOf(loaded.read("skill://b/x"))).toMatchObject({ reason: "unlisted" });
  });

  it("another skill than the one that was asked for is refused [Q4]", async () => {
    const { host } = await hostOf({});
    await expect(host.get("skill://b/SKILL.md")).rejects.toThrow(InvalidSkillError);
  });

  it("folders are not asked for if the server does not serve them [Q1]", async () => {
    const { host } = await hostOf({ settings: {} });
    await expect(host.readFolder("skill://a")).rejects.toThrow(McpUsageError);
  });
});

describe("Entries that must not be loaded", () => {
  const files = entry()["resources"] as JsonObject[];
  it.each<[string, unknown]>([
    ["a string", "skill://a/SKILL.md"],
    ["no URI", entry({ uri: undefined })],
    ["a query", entry({ uri: "skill://a/SKILL.md?x" })],
    ["a fragment", entry({ uri: "skill://a/SKILL.md#x" })],
    ["another file", entry({ uri: "skill://a/README.md" })],
    ["dots in the path", entry({ uri: "skill://b/../a/SKILL.md" })],
    ["a folder of another name", entry({ uri: "skill://b/SKILL.md" })],
    ["no frontmatter", entry({ frontmatter: undefined })],
    ["a name with two hyphens", entry({ frontmatter: { name: "a--b", description: "d" } })],
    ["an empty description", entry({ frontmatter: { name: "a", description: "" } })],
    ["no files", entry({ resources: undefined })],
    ["files that do not name SKILL.md", entry({ resources: [files[1]!] })],
    ["a file of another skill", entry({ resources: [...files, { uri: "skill://b/x", digest: sha256(""), size: 0 }] })],
    ["a file that leads out", entry({ resources: [...files, { uri: "skill://a/../b", digest: sha256(""), size: 0 }] })],
    ["a file twice, spelled otherwise", entry({ resources: [...files, { ...files[1], uri: "skill://a/FORMS%2Emd" }] })],
    ["a digest in upper case", entry({ resources: [{ ...files[0], digest: sha256(TEXT).toUpperCase() }] })],
    ["a negative size", entry({ resources: [{ ...files[0], size: -1 }] })],
    ["513 files", entry({ resources: Array.from({ length: 513 }, (_, i) => ({ ...files[0], uri: `skill://a/${i}` })) })],
    ["more than 16 MiB", entry({ resources: [{ ...files[0], size: 16 * 1024 * 1024 + 1 }] })],
  ])("%s [Q2]", async (_what, wrong) => {
    const good = entry({ uri: "skill://ok/SKILL.md", frontmatter: { name: "ok", description: "d" }, resources: "dynamic" });
    const { host } = await hostOf({ entries: [wrong, good] });
    const { skills, invalid } = await host.list();
    expect(skills).toMatchObject([{ uri: "skill://ok/SKILL.md" }]);
    expect(invalid).toEqual([expect.any(InvalidSkillError)]);
    await expect(host.load("skill://a/SKILL.md")).rejects.toThrow(InvalidSkillError);
  });

  it("two entries with one URI are both refused [Q8]", async () => {
    const { host } = await hostOf({ entries: [entry(), entry({ uri: "skill://a/SKILL%2Emd" })] });
    const { skills, invalid } = await host.list();
    expect(skills).toEqual([]);
    expect(invalid).toHaveLength(2);
  });
});

describe("Approval", () => {
  it("is asked for before anything is read; what is not approved is not read [Q9]", async () => {
    const { host, read } = await hostOf({}, () => false);
    await expect(host.load("skill://a/SKILL.md")).rejects.toThrow("was not approved");
    expect(read).toEqual([]);
  });

  it("holds until the set of files changes or it is revoked [Q7 Q9]", async () => {
    const entries = [entry()];
    const asked: string[] = [];
    const { host } = await hostOf({ entries }, ({ uri }) => asked.push(uri) > 0);
    await host.load("skill://a/SKILL.md");
    await host.load("skill://a/SKILL.md");
    expect(asked).toHaveLength(1);
    entries[0] = entry({ resources: [(entry()["resources"] as JsonObject[])[0]!] });
    await host.load("skill://a/SKILL.md");
    expect(asked).toHaveLength(2);
    host.revoke("skill://a/SKILL.md");
    await host.load("skill://a/SKILL.md");
    expect(asked).toHaveLength(3);
  });

  it("is not shared between two servers with one URI [Q8]", async () => {
    const asked: string[] = [];
    const ask = ({ uri }: Skill): boolean => asked.push(uri) > 0;
    const one = await hostOf({}, ask);
    const other = await hostOf({}, ask);
    await one.host.load("skill://a/SKILL.md");
    await other.host.load("skill://a/SKILL.md");
    expect(asked).toEqual(["skill://a/SKILL.md", "skill://a/SKILL.md"]);
  });
});
