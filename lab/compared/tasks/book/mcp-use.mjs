import {
  acceptedContent,
  createRequestStateCodec,
  inputRequired,
  MCPServer,
} from "mcp-use";
import { z } from "zod";

const Seat = z.object({ seat: z.string() });
const Paid = z.object({ pay: z.boolean() });
const states = createRequestStateCodec({ key: process.env.STATE_KEY });
const failed = (text) => ({
  content: [{ type: "text", text }],
  isError: true,
});

const server = new MCPServer({
  name: "airline",
  version: "1.0.0",
  requestState: { verify: states.verify },
});
const about = { name: "book", description: "Book a seat" };
server.tool(about, async (_, ctx) => {
  const { inputResponses, requestState } = ctx;
  const held = requestState();
  if (held === undefined) {
    if (inputResponses?.seat === undefined) {
      const message = "Which seat?";
      const seat = inputRequired.elicit({ message, requestedSchema: Seat });
      return inputRequired({ inputRequests: { seat } });
    }
    const answer = acceptedContent(inputResponses, "seat", Seat);
    if (answer === undefined) return failed("Nothing was booked.");
    const hold = { seat: answer.seat, price: 72 };
    const message = `Pay ${hold.price}?`;
    const pay = inputRequired.elicit({ message, requestedSchema: Paid });
    const requestState = await states.mint(hold, ctx);
    return inputRequired({ inputRequests: { pay }, requestState });
  }
  const answer = acceptedContent(inputResponses, "pay", Paid);
  if (answer?.pay !== true) return failed("No.");
  const text = JSON.stringify({ ...held, paid: true });
  return { content: [{ type: "text", text }] };
});

await server.listen(Number(process.env.PORT));
