import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import { isRelative, resolveInside } from "./safe-path.ts";

let top: string;
let root: string;

beforeAll(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), "tenon-path-")));
  root = join(top, "root");
  await mkdir(join(root, "dir", "inner"), { recursive: true });
  await mkdir(join(top, "root-sibling"));
  for (const file of ["root/a.txt", "root/dir/b.txt", "root/dir/%2e%2e", "root/..a", "secret.txt", "root-sibling/secret.txt"])
    await writeFile(join(top, file), file);
  await symlink(join(root, "dir"), join(root, "link-in"));
  await symlink(top, join(root, "link-out"));
  await symlink(join(top, "secret.txt"), join(root, "link-file"));
  await symlink(join(top, "root-sibling"), join(root, "dir", "link-sibling"));
  await symlink("loop", join(root, "loop"));
  await symlink(root, join(top, "root-link"));
});
afterAll(() => rm(top, { recursive: true, force: true }));

describe("resolveInside [R19 K2.4]", () => {
  it.each([
    ["a.txt", "a.txt"],
    ["dir/b.txt", "dir/b.txt"],
    ["./dir/./b.txt", "dir/b.txt"],
    ["link-in/b.txt", "dir/b.txt"],
    ["..a", "..a"],
    ["dir/%2e%2e", "dir/%2e%2e"],
    ["dir", "dir"],
  ])("finds %s", async (path, expected) => expect(await resolveInside(root, path)).toBe(join(root, expected)));

  it("finds the root itself, also through a link", async () => {
    expect(await resolveInside(root, "")).toBe(root);
    expect(await resolveInside(join(top, "root-link"), "a.txt")).toBe(join(root, "a.txt"));
  });

  it.each([
    "../secret.txt",
    "dir/../../secret.txt",
    "dir/../a.txt",
    "..",
    "..\\secret.txt",
    "/etc/passwd",
    "//etc/passwd",
    "C:\\x",
    "C:x",
    "\\x",
    "\\\\host\\share",
    "a.txt\0",
    "\0",
    "link-out/secret.txt",
    "link-out",
    "link-file",
    "dir/link-sibling/secret.txt",
    "../root-sibling/secret.txt",
    "loop",
    "missing",
    "a.txt/x",
    "dir/%2e%2e/a.txt",
  ])("refuses %j and says nothing (CVE-2025-53109, CVE-2025-53110) [R19]", async (path) => {
    const error: unknown = await resolveInside(root, path).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(McpError);
    expect(error).toMatchObject({ code: ErrorCode.ResourceNotFound, message: "Resource not found", data: { uri: path } });
    expect((error as McpError).cause).toBeUndefined();
    expect(JSON.stringify((error as McpError).toErrorData())).not.toContain(top);
  });

  it("a root that does not exist is the server's fault, not the peer's", async () => {
    await expect(resolveInside(join(top, "nowhere"), "a.txt")).rejects.toThrow(/ENOENT/);
  });

  it("no path has a NUL in it, also where the file system is not asked", () => {
    expect([isRelative("a\0b"), isRelative("a b")]).toEqual([false, true]);
  });

  it.each(["a.txt:stream", "dir\\a.txt:$DATA", "a:b"])("%s names a stream of a file on Windows, and a file elsewhere", (path) => {
    expect([isRelative(path, "\\"), isRelative(path, "/")]).toEqual([false, !/^[A-Za-z]:/.test(path)]);
  });

  it("whatever the path, what is returned is a real path inside", async () => {
    const name = fc.constantFrom(
      "a.txt",
      "dir",
      "inner",
      "b.txt",
      "..",
      ".",
      "",
      "link-in",
      "link-out",
      "link-file",
      "link-sibling",
      "root",
      "root-sibling",
      "secret.txt",
      "loop",
      "%2e%2e",
    );
    const path = fc
      .tuple(fc.array(name, { maxLength: 6 }), fc.constantFrom("/", "//", "\\"))
      .map(([names, separator]) => names.join(separator));
    await fc.assert(
      fc.asyncProperty(path, async (each) => {
        const found = await resolveInside(root, each).catch((error: unknown) => {
          expect(error).toMatchObject({ code: ErrorCode.ResourceNotFound });
          return undefined;
        });
        if (found === undefined) return;
        expect(found === root || found.startsWith(root + sep)).toBe(true);
        expect(await realpath(found)).toBe(found);
      }),
      { numRuns: 500 },
    );
  });
});
