/** Values of a configuration file: variables, files of variables, and secrets in files. */
import { writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join, sep } from "node:path";
import { describe, expect, it } from "vitest";
import { CANARY, file, folder, one, problemsOf } from "../../../test/support/config-files.ts";
import { loadConfig } from "./load-config.ts";

describe("A credential that its variables leave empty", () => {
  const headersOf = (value: string, env: Record<string, string>): Promise<string> =>
    problemsOf({ mcpServers: { s: { url: "https://example.com", headers: { Authorization: value } } } }, { env });

  it.each([
    ["Bearer ${env:TOKEN}", "${env:TOKEN}"],
    ["bearer ${TOKEN:-}", "${TOKEN:-}"],
    ["${TOKEN}", "${TOKEN}"],
    ["${env:SCHEME} ${env:TOKEN}", "${env:SCHEME} and ${env:TOKEN}"],
    ["Bearer ${file:empty-token}", "${file:empty-token}"],
  ])("is a problem that names them: %s", async (value, named) => {
    file("empty-token", "\n");
    const at = value.includes("file:") ? value.replace("empty-token", join(folder, "empty-token")) : value;
    const names = named.replace("empty-token", join(folder, "empty-token"));
    expect(await headersOf(at, { TOKEN: "", SCHEME: "Bearer" })).toContain(
      'server "s", field "headers.Authorization": has no credential, ' +
        `because ${names} ${names.includes(" and ") ? "are" : "is"} empty`,
    );
  });

  it("is fine if it was meant: a default that is empty, a text without variables, a variable of a program", async () => {
    const url = "https://example.com";
    const env = { TOKEN: "" };
    expect(await one({ url, headers: { "x-key": "${TOKEN:-}" } }, { env })).toMatchObject({ headers: { "x-key": "" } });
    expect(await one({ url, headers: { "x-key": "" } }, { env })).toMatchObject({ headers: { "x-key": "" } });
    expect(await one({ command: "x", env: { KEY: "${TOKEN}" } }, { env })).toMatchObject({ env: { KEY: "" } });
  });
});
describe("Variables", () => {
  it.each([
    ["${A}", "a"],
    ["${env:A}", "a"],
    ["x${A}y${B}z", "xaybz"],
    ["${A:-d}${NONE:-d}${EMPTY:-d}${env:NONE:-e}${NONE:-}", "adde"],
    ["$A $ {A} $${A}", "$A $ {A} $a"],
    ["${userHome}", homedir()],
    ["${workspaceFolder}${/}x", `${process.cwd()}${sep}x`],
    ["${workspaceFolderBasename}", basename(process.cwd())],
    ["${NESTED}", "${A}"],
  ])("%s is %j", async (text, value) => {
    const config = await one({ command: "c", args: [text] }, { env: { A: "a", B: "b", EMPTY: "", NESTED: "${A}" } });
    expect(config).toMatchObject({ args: [value] });
  });

  it.each([
    ["${NONE}", "${NONE} is not set in the environment"],
    ["${env:NONE}", "${env:NONE} is not set in the environment"],
    ["${input:key}", '${input:key} is asked of the user by the host: give it in the option "variables"'],
    ["${command:x.y}", '${command:x.y} is not known: give it in the option "variables"'],
    ["${}", '${} is not known: give it in the option "variables"'],
  ])("%s has to be there", async (text, message) => {
    expect(await problemsOf({ mcpServers: { s: { command: "c", env: { K: `${text}${CANARY}` } } } })).toBe(
      `The configuration cannot be used:\n- server "s", field "env.K": ${message}`,
    );
  });
});

describe("Secrets in files", () => {
  const inEnv = (value: string): object => ({ mcpServers: { s: { command: "c", env: { K: value } } } });

  it("are read for variables and headers, without the newline at the end, beside the configuration", async () => {
    file("token", `${CANARY}\n`);
    file("windows", `${CANARY}\r\n`);
    file("lines", "one\ntwo\n\n");
    const path = file(
      "secrets.json",
      `{ "mcpServers": {
        "far": { "url": "https://example.com", "headers": { "authorization": "Bearer \${file:token}" } },
        "near": { "command": "c", "env": { "A": "\${file:./windows}",
          "B": "\${file:${join(folder, "lines").replaceAll("\\", "\\\\")}}", "C": "\${file:none:-other}" } } } }`,
    );
    const files: string[] = [];
    expect(await loadConfig(path, { onFile: (one) => files.push(one) })).toMatchObject({
      far: { headers: { authorization: `Bearer ${CANARY}` } },
      near: { env: { A: CANARY, B: "one\ntwo\n", C: "other" } },
    });
    expect(files).toEqual(["token", "windows", "lines", "none"].map((name) => join(folder, name)));
    expect(await loadConfig(inEnv("${file:token}"), { folder })).toMatchObject({ s: { env: { K: CANARY } } });
  });

  it("are refused by line, server and field, and never shown", async () => {
    file("large", CANARY.repeat(10_000));
    writeFileSync(join(folder, "bytes"), new Uint8Array([0xff, 0xfe, 0x20]));
    file("two-lines", `${CANARY}\n${CANARY}\n`);
    const path = file(
      "wrong-secrets.json",
      `\uFEFF{ // a comment
  "mcpServers": {
    "s": {
      "command": "c",
      "args": ["\${file:two-lines}"],
      "env": {
        "NONE": "\${file:none}",
        "LARGE": "\${file:large}",
        "FOLDER": "\${file:.}",

        "BYTES": "\${file:bytes}", "EMPTY": "\${file:}" },
    },
    "h": { "url": "https://example.com",
           "headers": { "a.b": "\${file:two-lines}" } },
  } }`,
    );
    expect((await problemsOf(path)).split("\n- ")).toEqual([
      `${path} cannot be used:`,
      'line 5, server "s", field "args[0]": ${file:two-lines} may stand in "env", "headers" and credentials only, ' +
        "because this field is shown to users",
      'line 7, server "s", field "env.NONE": ${file:none} does not exist',
      `line 8, server "s", field "env.LARGE": \${file:large} has ${10_000 * CANARY.length} bytes, and a secret has at most 65536`,
      'line 9, server "s", field "env.FOLDER": ${file:.} is not a file',
      'line 11, server "s", field "env.BYTES": ${file:bytes} is not text in UTF-8',
      'line 11, server "s", field "env.EMPTY": ${file:} names no file',
      'line 14, server "h", field "headers.a.b": must be one line',
    ]);
  });
});
it("a file of variables that is too long, or that would never end, is refused", async () => {
  const long = file("long.env", "A=1\n".repeat(300_000));
  const of = (envFile: string): Promise<string> => problemsOf({ mcpServers: { s: { command: "c", envFile } } });
  expect(await of(long)).toContain('field "envFile": has 1200000 bytes, and a file of variables has at most 1048576');
  expect(await of("/dev/zero")).toContain('field "envFile": is not a file');
});
