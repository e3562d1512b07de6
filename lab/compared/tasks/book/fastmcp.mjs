import { FastMCP, UserError } from "fastmcp";

const server = new FastMCP({ name: "airline", version: "1.0.0" });
const form = (message, properties) => ({
  message,
  requestedSchema: { type: "object", properties },
});

server.addTool({
  name: "book",
  description: "Book a seat",
  execute: async (_, { elicit }) => {
    const seat = { type: "string" };
    const answer = await elicit(form("Which seat?", { seat }));
    if (answer.action !== "accept")
      throw new UserError("Nothing was booked.");
    const hold = { seat: answer.content.seat, price: 72 };
    const pay = { type: "boolean" };
    const paid = await elicit(form(`Pay ${hold.price}?`, { pay }));
    if (paid.content?.pay !== true) throw new UserError("No.");
    return JSON.stringify({ ...hold, paid: true });
  },
});

const httpStream = { port: Number(process.env.PORT) };
await server.start({ transportType: "httpStream", httpStream });
