// A server whose tools are made from other tools: renamed, with a pinned argument, from two sets. Prints what a client sees.
import { connect } from "tenon/client";
import { join, only, prefix, transform } from "tenon/compose";
import { McpServer, tool } from "tenon/server";
import * as z from "zod";

const weather = {
  forecast: tool(
    {
      input: z.object({
        place: z.string(),
        units: z.enum(["metric", "imperial"]),
      }),
    },
    ({ place, units }) =>
      units === "metric" ? `${place}: 20 °C` : `${place}: 68 °F`,
  ),
};
const files = { read: tool({}, () => "text"), erase: tool({}, () => "gone") };

const tools = join(
  transform(weather, {
    forecast: {
      name: "weather",
      arguments: { place: { name: "city" }, units: { pin: "metric" } },
    },
  }),
  prefix("files", only(files, "read")),
);
const server = new McpServer({ name: "office", version: "1.0.0" }, { tools });

await using client = await connect(server);
for await (const { name, inputSchema } of client.tools())
  console.log(name, Object.keys(inputSchema["properties"] ?? {}).join());
console.log(await client.call.weather({ city: "Bern" }));
