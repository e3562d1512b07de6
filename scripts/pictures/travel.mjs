// The server in the pictures of the inspector: every kind of thing a server can offer, in a few lines.
import { McpServer } from "tenon/server";
import * as z from "zod";

export const server = new McpServer({ name: "travel", version: "1.2.0" }, { instructions: "Book trips, and keep notes of them." });
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
