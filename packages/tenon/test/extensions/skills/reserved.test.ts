/**
 * What the extension keeps for itself: the prefix of its methods, the prefix of its `_meta` keys, and no `Mcp-Name` for its
 * requests.
 */
import { expect, it } from "vitest";
import { connect, type JsonObject } from "tenon";
import type { Fetch } from "tenon/client";
import { defineExtension } from "tenon/ext";
import { SkillHost } from "tenon/ext/skills";
import { serve } from "../../http/support.ts";
import { closing, describeMatrix } from "../../support/matrix.ts";
import { manifest, PDF, serverOf } from "./skills.ts";
import { testServer } from "../../support/test-server.ts";

const META_PREFIX = "io.modelcontextprotocol.skills/";
const REQUESTS: readonly (readonly [string, JsonObject])[] = [
  ["skills/list", {}],
  ["skills/get", { uri: "skill://pdf/SKILL.md" }],
  ["resources/directory/read", { uri: "skill://pdf" }],
];

it("a method below skills/ is refused to servers and to other extensions, with the name of its owner [Q10]", () => {
  const server = testServer();
  const message = 'reserved for the extension "io.modelcontextprotocol/skills"';
  expect(() => server.method("skills/search", {}, () => ({}))).toThrow(TypeError);
  expect(() => server.method("skills/list", {}, () => ({}))).toThrow(message);
  const methods = [{ method: "skills/search", kind: "request", sender: "client" }] as const;
  expect(() => defineExtension({ id: "com.example/search", methods })).toThrow(RangeError);
  expect(() => defineExtension({ id: "com.example/search", methods })).toThrow(message);
  expect(defineExtension({ id: "io.modelcontextprotocol/skills", methods }).id).toBe("io.modelcontextprotocol/skills");
  expect(() => server.method("skill/search", {}, () => ({}))).not.toThrow();
  expect(() => server.method("acme/skills/search", {}, () => ({}))).not.toThrow();
});

/** All keys of every `_meta` in a value. */
function metaKeysIn(value: unknown): string[] {
  const keys: string[] = [];
  JSON.stringify(value, (key, inner: unknown) => {
    if (key === "_meta") keys.push(...Object.keys(inner as object));
    return inner;
  });
  return keys;
}

describeMatrix("The reserved _meta prefix of skills", ({ connect: open }) => {
  it("is on no result, and a key of a later version of the extension passes unchanged [Q10]", async () => {
    const server = serverOf({ ...PDF, "later/SKILL.md": manifest("later") });
    const metas: unknown[] = [];
    server.use("skills/get", (next) => (context) => {
      metas.push(context.meta);
      return next(context);
    });
    const client = await open(server);
    const results = [];
    for (const [method, params] of REQUESTS) results.push(await client.request(method, params));
    results.push(await client.readResource("skill://pdf/SKILL.md"), await client.listResources());
    expect(metaKeysIn(results).filter((key) => key.startsWith(META_PREFIX))).toEqual([]);
    const key = `${META_PREFIX}of-tomorrow`;
    await client.request("skills/get", { uri: "skill://later/SKILL.md", _meta: { [key]: { a: null } } });
    expect(metas.at(-1)).toMatchObject({ [key]: { a: null } });
  });
});

it("its requests carry no Mcp-Name, a file is read with one, and a server asks for none [Q10 F2.1]", async () => {
  const endpoint = await serve(serverOf(PDF));
  const names: (readonly [string | undefined, string | undefined])[] = [];
  const recording: Fetch = (url, init) => {
    names.push([init.headers["mcp-method"], init.headers["mcp-name"]]);
    return fetch(url, init);
  };
  const client = await closing(connect({ url: endpoint.url, fetch: recording }));
  const host = new SkillHost(client, { approve: () => true });
  await host.list();
  await host.load("skill://pdf/SKILL.md");
  await host.readFolder("skill://pdf");
  expect(names).toEqual([
    ["server/discover", undefined],
    ["skills/list", undefined],
    ["skills/get", undefined],
    ["resources/read", "skill://pdf/SKILL.md"],
    ["resources/directory/read", undefined],
  ]);
  for (const [method, params] of REQUESTS) {
    const { status, json } = await endpoint.post(method, params);
    expect([method, status, json["error"]]).toEqual([method, 200, undefined]);
  }
});
