/** What the compiler knows in the script of a view: the tools of its server, and the arguments and data of its own tool. */
import { expectTypeOf } from "vitest";
import type { ViewOf } from "tenon/ext/apps/view";
import { McpServer, tool } from "tenon/server";
import * as z from "zod";

const City = z.object({ city: z.string() });
const server = new McpServer(
  { name: "weather", version: "1" },
  {
    tools: {
      weather: tool({ input: City, output: z.object({ degrees: z.number() }), ui: "<p>" }, () => ({ degrees: 1 })),
      refresh: tool({ input: City, ui: { visibility: ["app"] } }, () => "text"),
    },
  },
);

export async function typed(open: ViewOf<unknown>): Promise<void> {
  const view = (await open.callTool("any")) as unknown as ViewOf<typeof server, "weather">; // for the compiler only: never run
  expectTypeOf(await view.call.weather({ city: "Rome" })).toEqualTypeOf<{ degrees: number }>();
  expectTypeOf(await view.call.refresh({ city: "Rome" })).toEqualTypeOf<string>();
  view.on("input", (args) => expectTypeOf(args).toEqualTypeOf<{ city: string }>());
  view.on("partialInput", (args) => expectTypeOf(args).toEqualTypeOf<{ city?: string }>());
  view.on("result", ({ data, text }) =>
    expectTypeOf([data, text] as const).toEqualTypeOf<readonly [{ degrees: number }, string]>(),
  );
  // @ts-expect-error -- the tool needs a city
  await view.call.weather({});
  // @ts-expect-error -- there is no such tool
  await view.call.none();
  // @ts-expect-error -- there is no such event
  view.on("outcome", () => undefined);
  open.on("result", ({ data }) => expectTypeOf(data).toBeUnknown());
}

export function mistakes(): void {
  // @ts-expect-error -- an unknown audience
  server.tool("a", { ui: { visibility: ["user"] } }, () => "");
  // @ts-expect-error -- an unknown permission
  server.tool("b", { ui: { view: "<p>", permissions: ["usb"] } }, () => "");
}
