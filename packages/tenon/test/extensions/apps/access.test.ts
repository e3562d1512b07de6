/** Who may use a tool, and which view it has, as a host reads what a server declared; and the policy of the sandbox page. */
import { expect, it } from "vitest";
import type { Tool } from "tenon";
import { createSandboxHandler, isVisibleTo, viewUriOf } from "tenon/ext/apps/host";

const tool = (meta?: object): Tool => ({
  name: "t",
  inputSchema: { type: "object" },
  ...(meta && { _meta: meta as NonNullable<Tool["_meta"]> }),
});

it.each<[unknown, boolean, boolean]>([
  [undefined, true, true],
  [{}, true, true],
  [{ visibility: ["model", "app"] }, true, true],
  [{ visibility: ["model"] }, true, false],
  [{ visibility: ["app"] }, false, true],
  [{ visibility: ["app", "future"] }, false, true],
  [{ visibility: ["future"] }, false, false],
  [{ visibility: [] }, false, false],
  [{ visibility: "app" }, false, false],
  [{ visibility: null }, false, false],
  ["app", false, false],
  [null, false, false],
])("_meta.ui %j is for the model: %s, for views: %s [P3 P4]", (ui, model, app) => {
  const one = tool(ui === undefined ? undefined : { ui });
  expect([isVisibleTo(one, "model"), isVisibleTo(one, "app")]).toEqual([model, app]);
});

it.each<[object | undefined, string | undefined]>([
  [undefined, undefined],
  [{ ui: { resourceUri: "ui://a/b" } }, "ui://a/b"],
  [{ "ui/resourceUri": "ui://old" }, "ui://old"],
  [{ ui: { resourceUri: "ui://new" }, "ui/resourceUri": "ui://old" }, "ui://new"],
  [{ ui: { resourceUri: "https://a.example/" } }, undefined],
  [{ ui: { resourceUri: 7 } }, undefined],
])("the view of _meta %j is %s [P2 P3]", (meta, uri) => {
  expect(viewUriOf(tool(meta))).toBe(uri);
});

const HOST = "https://chat.example";
const sandbox = createSandboxHandler({ hosts: [HOST] });
const get = (query: Record<string, string>, method = "GET"): Response =>
  sandbox(new Request(`https://sandbox.example/?${new URLSearchParams(query)}`, { method }));
const policyFor = (csp: object): string[] =>
  get({ host: HOST, csp: JSON.stringify(csp) })
    .headers.get("content-security-policy")!
    .split("; ");

it("the policy without declarations blocks everything but the view itself [P6]", () => {
  expect(policyFor({})).toEqual([
    "default-src 'none'",
    "script-src 'self' 'unsafe-inline'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "media-src 'self' data:",
    "font-src 'none'",
    "connect-src 'none'",
    "frame-src 'none'",
    "base-uri 'self'",
    "object-src 'none'",
    "form-action 'none'",
    "worker-src 'none'",
    "manifest-src 'none'",
    `frame-ancestors ${HOST}`,
  ]);
});

it("the policy allows each declared origin where it was declared, and nowhere else [P6]", () => {
  const origins = {
    connectDomains: ["https://c.example"],
    resourceDomains: ["https://*.r.example"],
    frameDomains: ["https://f.example"],
    baseUriDomains: ["https://b.example"],
  };
  const policy = policyFor(origins);
  const naming = (origin: string): string[] =>
    policy.filter((directive) => directive.includes(origin)).map((directive) => directive.split(" ")[0]!);
  expect(naming("https://c.example")).toEqual(["connect-src"]);
  expect(naming("https://*.r.example")).toEqual(["script-src", "style-src", "img-src", "media-src", "font-src"]);
  expect(naming("https://f.example")).toEqual(["frame-src"]);
  expect(naming("https://b.example")).toEqual(["base-uri"]);
});

it.each<[string, Record<string, string>, number]>([
  ["another host", { host: "https://evil.example" }, 403],
  ["no host", {}, 403],
  ["a host with a path", { host: `${HOST}/` }, 403],
  ["a policy that is no JSON", { host: HOST, csp: "{" }, 400],
  [
    "an origin with a directive",
    { host: HOST, csp: JSON.stringify({ connectDomains: ["https://a.example; script-src *"] }) },
    400,
  ],
  ["a line break", { host: HOST, csp: JSON.stringify({ frameDomains: ["https://a.example\r\nx: y"] }) }, 400],
  ["a list that is a string", { host: HOST, csp: JSON.stringify({ connectDomains: "https://a.example" }) }, 400],
  [
    "65 origins",
    { host: HOST, csp: JSON.stringify({ connectDomains: Array.from({ length: 65 }, (_, i) => `https://a${i}.example`) }) },
    400,
  ],
])("the sandbox page is refused for %s [P6 P7]", async (_what, query, status) => {
  const response = get(query);
  expect(response.status).toBe(status);
  expect(await response.text()).not.toContain("<script>");
});

it("the sandbox page has one method and needs hosts [P7]", () => {
  expect(get({ host: HOST }, "POST").status).toBe(405);
  for (const hosts of [[], ["chat.example"], [`${HOST}/path`], ["*"]])
    expect(() => createSandboxHandler({ hosts })).toThrow(TypeError);
});
