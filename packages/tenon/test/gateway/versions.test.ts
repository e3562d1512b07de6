/**
 * Older versions of tools behind a gateway: no list shows them, so rules and pins about the listed one must hold for them too.
 */
import { expect, it, onTestFinished } from "vitest";
import { createGateway, type GatewayOptions, type PolicyFacts } from "tenon/gateway";
import { describeMatrix } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

const VERSION = "dev.tenon/version";

function gatewayOf(options: Omit<GatewayOptions, "servers">): ReturnType<typeof createGateway> {
  const shop = testServer({ name: "shop" });
  shop.tool("pay", { version: "1", annotations: { destructiveHint: true } }, () => "paid by 1");
  shop.tool("pay", { version: "2", annotations: { readOnlyHint: true } }, () => "paid by 2");
  const gateway = createGateway({ servers: { shop }, readyTimeout: 60_000, onError: () => undefined, ...options });
  onTestFinished(() => gateway.close());
  return gateway;
}

/** The calls of version 1, and one of the listed version. */
const BY_KEY = { name: "shop__pay.v1", arguments: {} };
const BY_META = { name: "shop__pay", arguments: {}, _meta: { [VERSION]: "1" } };
const LISTED = { name: "shop__pay", arguments: {}, _meta: { [VERSION]: "2" } };
const UNKNOWN = { code: -32602 };

describeMatrix("versions behind a gateway", ({ connect: open }) => {
  it.each([undefined, () => true])("can be called by name and by version, policy: %s", async (policy) => {
    const client = await open(gatewayOf({ ...(policy && { policy }) }));
    for (const call of [BY_KEY, BY_META])
      expect(await client.request("tools/call", call)).toMatchObject({ content: [{ text: "paid by 1" }] });
  });

  it.each<[string, (facts: PolicyFacts) => boolean]>([
    ["by the name of all versions", ({ name }) => name !== "pay"],
    ["by the name of the version", ({ name }) => name !== "pay.v1"],
    ["by the version of that name", ({ version }) => version !== "1"],
    ["that allows one version of that name", ({ name, version }) => name !== "pay" || version === "2"],
    ["by an annotation, which no list has", ({ annotations }) => annotations["destructiveHint"] !== true],
    ["except what only reads", ({ annotations }) => annotations["readOnlyHint"] === true],
  ])("are denied by a policy %s", async (_how, policy) => {
    const client = await open(gatewayOf({ policy }));
    for (const call of [BY_KEY, BY_META]) await expect(client.request("tools/call", call)).rejects.toMatchObject(UNKNOWN);
    const listed = client.request("tools/call", LISTED);
    if (policy({ name: "pay", version: "2", annotations: { readOnlyHint: true } } as unknown as PolicyFacts))
      expect(await listed).toMatchObject({ content: [{ text: "paid by 2" }] });
    else await expect(listed).rejects.toMatchObject(UNKNOWN);
  });

  it.each<[string, (facts: PolicyFacts) => boolean]>([
    ["by the version of that name", ({ name, version }) => name !== "pay" || version === "1"],
    ["by either name", ({ name, version }) => name === "pay.v1" || (name === "pay" && version === "1")],
  ])("are all that a policy allows %s", async (_how, policy) => {
    const client = await open(gatewayOf({ policy }));
    for (const call of [BY_KEY, BY_META])
      expect(await client.request("tools/call", call)).toMatchObject({ content: [{ text: "paid by 1" }] });
    await expect(client.request("tools/call", LISTED)).rejects.toMatchObject(UNKNOWN);
    expect((await client.listTools()).tools).toEqual([]);
  });

  it("are not what was pinned", async () => {
    const client = await open(gatewayOf({ pins: {} }));
    expect(await client.request("tools/call", LISTED)).toMatchObject({ content: [{ text: "paid by 2" }] });
    for (const call of [BY_KEY, BY_META]) await expect(client.request("tools/call", call)).rejects.toMatchObject(UNKNOWN);
  });
});
