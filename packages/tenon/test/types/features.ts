// Features as values, rules of visibility and mounts, as the compiler sees them.
import { expectTypeOf } from "vitest";
import { ClientSessionGroup } from "tenon/group";
import { McpServer, sourceOf, type Caller, type Feature, type FeatureSource, type Mount, type Mountable } from "tenon/server";

const server = new McpServer({ name: "s", version: "1" });
expectTypeOf(server).toExtend<Mountable>();
expectTypeOf<ClientSessionGroup>().toExtend<FeatureSource>();
expectTypeOf(server.mount("x", new McpServer({ name: "c", version: "1" }))).toEqualTypeOf<Mount>();
expectTypeOf(sourceOf(server).find("tool", "x")).toEqualTypeOf<Feature | undefined>();

server.tool("t", { visible: ({ auth, principal }) => principal !== undefined && auth?.scopes.includes("a") === true }, () => "");
server.visible((caller, feature) => {
  expectTypeOf(caller).toEqualTypeOf<Caller>();
  return feature.options.tags?.includes("admin") !== true;
});
// @ts-expect-error -- a rule returns at once
server.tool("u", { visible: async () => true }, () => "");
// @ts-expect-error -- a rule returns true or false
server.visible(() => "yes");
// @ts-expect-error -- tags are texts
server.mount("y", server, { only: { tags: [1] } });
server.tool("v", { hidden: true, version: "2" }, (_input, ctx) => {
  ctx.show("v", { tags: ["finance"], kinds: ["tool"] });
  // @ts-expect-error -- there is no such kind
  ctx.hide({ kinds: ["tools"] });
});
