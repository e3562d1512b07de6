/**
 * The rules of a configuration file about older versions of tools: no list shows them, so they must be found by each of their
 * names.
 */
import { expect, it, onTestFinished } from "vitest";
import { McpServer } from "tenon";
import { createGateway, type GatewayOptions } from "tenon/gateway";
import { policyOf } from "../../src/commands/gateway/settings/rules.ts";
import { describeMatrix } from "../../../tenon/test/support/matrix.ts";

const VERSION = "dev.tenon/version";

function gatewayOf(options: Omit<GatewayOptions, "servers">): ReturnType<typeof createGateway> {
  const shop = new McpServer({ name: "shop", version: "1.0.0" });
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

describeMatrix("rules about versions behind a gateway", ({ connect: open }) => {
  it("are known to a policy by the version that a plain name means, which is denied under each of its names", async () => {
    const policy = policyOf({ deny: ["pay.v2"] })!;
    const client = await open(gatewayOf({ policy }));
    for (const call of [{ name: "shop__pay", arguments: {} }, LISTED, { name: "shop__pay.v2", arguments: {} }])
      await expect(client.request("tools/call", call)).rejects.toMatchObject(UNKNOWN);
    expect((await client.listTools()).tools).toEqual([]);
    for (const call of [BY_KEY, BY_META])
      expect(await client.request("tools/call", call)).toMatchObject({ content: [{ text: "paid by 1" }] });
  });

  it("can be left out by rules that allow the plain name only, or one version with it", async () => {
    const plain = await open(gatewayOf({ policy: policyOf({ allow: ["pay"] })! }));
    expect(await plain.request("tools/call", LISTED)).toMatchObject({ content: [{ text: "paid by 2" }] });
    for (const call of [BY_KEY, BY_META]) await expect(plain.request("tools/call", call)).rejects.toMatchObject(UNKNOWN);
    const both = await open(gatewayOf({ policy: policyOf({ allow: ["pay", "pay.v1"] })! }));
    for (const call of [BY_KEY, BY_META])
      expect(await both.request("tools/call", call)).toMatchObject({ content: [{ text: "paid by 1" }] });
  });
});
