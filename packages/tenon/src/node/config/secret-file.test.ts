import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readSecret } from "./secret-file.ts";
import { assertHas } from "../../../test/support/needs.ts";

/** The path of a new file with that text. */
function fileWith(text: string, name = "secret"): string {
  const folder = mkdtempSync(join(tmpdir(), "tenon-secret-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe("A secret in a file", () => {
  it.each([
    ["abc", "abc"],
    ["abc\n", "abc"],
    ["abc\r\n", "abc"],
    ["abc\n\n", "abc\n"],
    ["\n", ""],
    ["", ""],
    ["a\0b", "a\0b"],
    ["x".repeat(65_536), "x".repeat(65_536)],
  ])("is its text without one newline at the end (%#)", (text, secret) =>
    expect(readSecret(fileWith(text))).toEqual({ text: secret }),
  );

  it("may be a link, as Kubernetes makes them", () => {
    const path = fileWith("abc");
    symlinkSync(path, `${path}.link`);
    expect(readSecret(`${path}.link`)).toEqual({ text: "abc" });
    symlinkSync(`${path}.loop`, `${path}.loop`);
    expect(readSecret(`${path}.loop`)).toEqual({ problem: "cannot be read: ELOOP", isMissing: false });
  });

  it("has a limit", () => {
    expect(readSecret(fileWith("x".repeat(65_537)))).toEqual({
      problem: expect.stringContaining("has 65537 bytes") as string,
      isMissing: false,
    });
  });

  it("has a limit in a file that says that it has no bytes", (context) => {
    assertHas(context, "linux");
    const problem = "has more than 65536 bytes, and a secret has at most 65536";
    expect(readSecret("/proc/self/smaps")).toEqual({ problem, isMissing: false });
  });

  it("is not read from a pipe, a device or a folder, which could wait without end", () => {
    const refused = { problem: "is not a file", isMissing: false };
    expect(readSecret(tmpdir())).toEqual(refused);
    if (process.platform === "win32") return; // has no such files
    expect(readSecret("/dev/zero")).toEqual(refused);
    const pipe = fileWith("");
    execFileSync("mkfifo", [`${pipe}.pipe`]);
    expect(readSecret(`${pipe}.pipe`)).toEqual(refused);
  });
});
