// The server in the pictures of the inspector: every kind of thing a server can offer, in a few lines.
import { apps } from "tenon/ext/apps";
import { McpServer } from "tenon/server";
import * as z from "zod";

export const server = new McpServer(
  { name: "travel", version: "1.2.0" },
  { instructions: "Book trips, and keep notes of them.", extensions: [apps()] },
);
const traveller = z.object({ name: z.string(), age: z.int().min(0).optional() });
const payment = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("card"), number: z.string().regex(/^\d{12,19}$/) }),
  z.object({ kind: z.literal("invoice"), address: z.string() }),
]);
const input = z.object({
  to: z.string().min(2).describe("A city with an airport"),
  when: z.iso.date(),
  travellers: z.array(traveller).min(1),
  payment,
  meal: z.enum(["fish", "rice", "none"]).default("rice"),
});
const output = z.object({ trips: z.array(z.object({ flight: z.string(), to: z.string(), seat: z.string(), price: z.number() })) });
const about = { description: "Books a trip for one or more travellers.", annotations: { destructiveHint: true } };
server.tool("book", { ...about, input, output }, async ({ to, travellers }, ctx) => {
  await ctx.log.info({ held: travellers.length }, "billing");
  const schema = z.object({ seat: z.enum(["4A", "4B", "window, any"]) });
  const { content } = await ctx.elicit("seat", { message: "Which seat?", schema });
  return { trips: travellers.map((_, at) => ({ flight: `TN ${104 + at}`, to, seat: content?.seat ?? "any", price: 120 - 10 * at })) };
});
const view = `<!doctype html><html lang="en"><title>Seats</title><style>
body { font: 14px system-ui; margin: 12px; display: grid; grid-template-columns: repeat(6, 36px); gap: 6px } b { grid-column: 1 / -1 }
i { background: #cfe3f7; border-radius: 6px; text-align: center; padding: 7px 0; font-style: normal } .t { background: #ddd; color: #777 }
</style><b>Seats of TN 104</b>${Array.from({ length: 18 }, (_, at) => `<i class="${at % 5 === 2 ? "t" : ""}">${1 + Math.floor(at / 6)}${"ABCDEF"[at % 6]}</i>`).join("")}`;
server.tool("map", { description: "Shows the seats of a flight", ui: view }, () => "15 of 18 seats are free.");
const offers = z.object({ trips: z.array(z.object({ to: z.string(), flight: z.string(), price: z.number() })) });
server.tool("offers", { description: "Lists trips of this week", output: offers }, () => ({
  trips: ["Lisbon", "Helsinki", "Kyoto", "Lima"].map((to, at) => ({ to, flight: `TN ${200 + at}`, price: 80 + 37 * at })),
}));
server.tool(
  "cancel",
  { description: "Cancels a trip", input: z.object({ flight: z.string() }) },
  ({ flight }) => `${flight} is cancelled.`,
);
for (const name of ["quote", "refund", "rebook", "seats", "luggage", "weather"])
  server.tool(name, { description: `The ${name} of a trip`, input: z.object({ flight: z.string() }) }, ({ flight }) => flight);
server.resource("notes://today", { title: "Notes of today" }, () => "Pack the camera.");
const days = ["monday", "tuesday"];
server.resourceTemplate("notes://{day}", { title: "Notes of a day", complete: { day: () => days } }, ({ day }) => `Notes of ${day}`);
server.prompt("plan", { description: "Plans a trip", input: z.object({ city: z.string() }) }, ({ city }) => `Plan three days in ${city}.`);
