import { serveStdio } from "tenon/node";
import { McpServer } from "tenon/server";
import * as z from "zod";

const server = new McpServer({ name: "shop", version: "1.0.0" }, { instructions: "Sell tea." });
const stock = { green: 5, black: 2 };

const input = z.object({
  tea: z.enum(["green", "black"]),
  grams: z.int().min(1).max(100).default(1).describe("How much"),
});
const output = z.object({ tea: z.string(), grams: z.int(), left: z.int() });

server.tool(
  "order",
  { description: "Order tea", input, output, annotations: { destructiveHint: true } },
  async ({ tea, grams }, ctx) => {
    if (grams > stock[tea]) return ctx.fail(`There are only ${stock[tea]} g of ${tea} tea`);
    await ctx.progress(1, 1);
    stock[tea] -= grams;
    return { tea, grams, left: stock[tea] };
  },
);

server.resourceTemplate("stock://{tea}", { mimeType: "text/plain" }, ({ tea }) =>
  tea === "green" || tea === "black" ? `${stock[tea]} g` : undefined,
);

const advise = { description: "Which tea fits", input: z.object({ mood: z.string() }) };
server.prompt("advise", advise, ({ mood }) => `Which tea fits if I feel ${mood}?`);

await serveStdio(server);
