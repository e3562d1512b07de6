/** A folder of the disk as a server of skills: what is served of it, and how changes reach clients. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { type Client } from "tenon";
import { failureOf } from "../../support/failure-of.ts";
import { closing, describeMatrix, open } from "../../support/matrix.ts";
import { skills } from "tenon/ext/skills";
import { manifest, serverOf } from "./skills.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skills-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  write("a/SKILL.md", manifest("a"));
  write("a/notes/one.txt", "one");
});

function write(path: string, content: string): void {
  mkdirSync(join(root, path, ".."), { recursive: true });
  writeFileSync(join(root, path), content);
}

const urisOf = async (client: Client): Promise<string[]> =>
  ((await client.request("skills/list"))["skills"] as { uri: string }[]).map(({ uri }) => uri);

describe("A folder", () => {
  it("is served without hidden files, unless they are wanted [Q2]", async () => {
    write("a/.secret", "x");
    write(".git/SKILL.md", manifest("git"));
    const plain = await closing(open("direct", serverOf(root)));
    expect((await plain.request("skills/list"))["skills"]).toMatchObject([{ resources: [{}, {}] }]);
    const all = await closing(open("direct", serverOf(root, { hidden: true })));
    expect((await all.request("skills/get", { uri: "skill://a/SKILL.md" }))["skill"]).toMatchObject({ resources: [{}, {}, {}] });
  });

  it.each([
    ["a link out of the folder", () => symlinkSync("/etc/hostname", join(root, "a/link"))],
    ["a link inside the folder", () => symlinkSync("SKILL.md", join(root, "a/link"))],
    ["a link to a folder", () => symlinkSync(tmpdir(), join(root, "a/link"))],
    ["a pipe", () => execFileSync("mkfifo", [join(root, "a/pipe")])],
  ])("%s: the skill is left out and the operator is told [Q2 Q9]", async (_what, make) => {
    make();
    write("ok/SKILL.md", manifest("ok"));
    const told: Error[] = [];
    const client = await closing(open("direct", serverOf(root, {}, told)));
    expect(await urisOf(client)).toEqual(["skill://ok/SKILL.md"]);
    expect(told.map(({ message }) => message)).toEqual([expect.stringMatching(/symbolic link|not a regular file/)]);
  });

  it("a file that changed after it was listed is an error, never other bytes; the next list has the new ones [Q7]", async () => {
    const told: Error[] = [];
    const client = await closing(open("direct", serverOf(root, {}, told)));
    await urisOf(client);
    write("a/notes/one.txt", "two, and longer");
    expect(await failureOf(client.readResource("skill://a/notes/one.txt"))).toMatchObject({
      code: -32603,
      message: expect.not.stringContaining("notes") as string,
    });
    expect(told.map(String)).toEqual([expect.stringContaining("has changed since it was listed")]);
    await vi.waitFor(async () => {
      expect((await client.readResource("skill://a/notes/one.txt")).contents).toMatchObject([{ text: "two, and longer" }]);
    });
  });

  it("a link that takes the place of a file is not followed [Q9]", async () => {
    const client = await closing(open("direct", serverOf(root)));
    await urisOf(client);
    const outside = mkdtempSync(join(tmpdir(), "outside-"));
    onTestFinished(() => rmSync(outside, { recursive: true }));
    renameSync(join(root, "a/notes"), join(outside, "notes"));
    symlinkSync(join(outside, "notes"), join(root, "a/notes"));
    expect(await failureOf(client.readResource("skill://a/notes/one.txt"))).toMatchObject({ code: -32603 });
  });

  const advice = "name a folder. A relative path begins at the working directory of the process";
  it.each<[what: string, make: () => string, says: (path: string) => string]>([
    ["that does not exist", () => join(root, "none"), (path) => `${path} does not exist: ${advice}`],
    ["that is a file", () => join(root, "a/SKILL.md"), (path) => `${path} is a file: ${advice}`],
    ["without a skill", () => join(root, "a/notes"), (path) => `No skill in ${path}: a skill is a folder with a SKILL.md`],
  ])("%s: no skill, and an error for the operator that names its path [Q2]", async (_what, make, says) => {
    for (const watch of [false, true]) {
      const told: Error[] = [];
      const server = serverOf(make(), { watch }, told);
      onTestFinished(() => server.close());
      const client = await closing(open("direct", server));
      expect(await urisOf(client)).toEqual([]);
      expect(told.map(({ message }) => message)).toEqual([says(make())]);
    }
  });

  it.each<[what: string, path: string, content: string, problem: string]>([
    ["no frontmatter", "b/SKILL.md", "Text", "SKILL.md must begin with YAML between two lines of ---"],
    ["broken YAML", "b/SKILL.md", "---\nname: b\ndescription: [\n---\n", "SKILL.md, line 4: "],
    ["another name", "b/SKILL.md", manifest("c"), 'its folder must have the name "c"'],
  ])("a skill with %s is named by its path [Q2]", async (_what, path, content, problem) => {
    write(path, content);
    const told: Error[] = [];
    const client = await closing(open("direct", serverOf(root, {}, told)));
    expect(await urisOf(client)).toEqual(["skill://a/SKILL.md"]);
    expect(told.map(({ message }) => message)).toEqual([expect.stringContaining(`Skill "${root}/b": ${problem}`)]);
  });

  it("a file that is nearly a SKILL.md is reported, outside of other skills [Q2]", async () => {
    write("b/skill.md", manifest("b"));
    write("a/notes/Skill.md", "a note");
    const told: Error[] = [];
    const client = await closing(open("direct", serverOf(root, {}, told)));
    expect(await urisOf(client)).toEqual(["skill://a/SKILL.md"]);
    expect(told.map(({ message }) => message)).toEqual([`Skill "${root}/b/skill.md": its name must be SKILL.md, in capitals`]);
  });

  it.each([[undefined], [null], [5]])("skills(%j) says what it needs", (source) => {
    expect(() => skills(source as never)).toThrow("skills() needs the path of a folder, or an object of paths and contents");
  });

  it.each(["100% sure.md", "a#b.md", "a?b.md", "Ünï.md", "U\u0308.md", "a b.md"])("serves a file named %s [Q2]", async (name) => {
    write(`a/${name}`, name);
    const client = await closing(open("direct", serverOf(root)));
    const [skill] = (await client.request("skills/list"))["skills"] as { resources: { uri: string }[] }[];
    const uri = skill!.resources.map((file) => file.uri).find((one) => one.endsWith(encodeURIComponent(name)))!;
    expect((await client.readResource(uri)).contents).toMatchObject([{ text: name }]);
  });
});

describeMatrix("A watched folder", ({ connect }) => {
  it("tells clients of new and changed skills, and serves them whole [Q3]", async () => {
    const server = serverOf(root, { watch: true });
    onTestFinished(() => server.close());
    const client = await connect(server);
    await urisOf(client);
    const changes = await client.listen({ resources: true });
    write("b/SKILL.md", manifest("b"));
    // The first reading of the folder is a change of the list too, and may be told late.
    for await (const _ of changes) if ((await urisOf(client)).length === 2) break;
    expect(await urisOf(client)).toEqual(["skill://a/SKILL.md", "skill://b/SKILL.md"]);
    const watched = await client.listen({ resources: ["skill://a/SKILL.md"] });
    write("a/notes/one.txt", "changed");
    for await (const change of watched) {
      expect(change).toMatchObject({ uri: "skill://a/SKILL.md" });
      break;
    }
    expect((await client.readResource("skill://a/notes/one.txt")).contents).toMatchObject([{ text: "changed" }]);
  });
});
