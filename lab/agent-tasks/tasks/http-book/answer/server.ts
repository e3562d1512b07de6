import { serveHttp } from "tenon/node";
import { McpServer } from "tenon/server";
import * as z from "zod";
import { hold, pay } from "./airline.ts";

const server = new McpServer({ name: "airline", version: "1.0.0" }, { requestState: { keys: [process.env["STATE_KEY"] ?? ""] } });
const schema = z.object({ seat: z.string() });

server.tool("book", { description: "Book a seat" }, async (_, ctx) => {
  const answer = await ctx.elicit("seat", { message: "Which seat?", schema });
  if (answer.action !== "accept") return ctx.fail("Nothing was booked.");
  const { seat } = answer.content;
  const price = await ctx.step("hold", () => hold(seat));
  if (!(await ctx.confirm("pay", `Pay ${price} for seat ${seat}?`))) return ctx.fail("The seat is held, but not paid.");
  await ctx.step("pay", () => pay(seat));
  return `paid ${seat}`;
});

await serveHttp(server, { port: Number(process.env["PORT"] ?? 3000) });
