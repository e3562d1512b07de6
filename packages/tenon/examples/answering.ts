// A client whose user answers a server's questions in the terminal.
// From the folder of the project: node --import jiti/register examples/answering.ts
import { connect } from "tenon/client";
import { elicitInTerminal } from "tenon/node";

await using client = await connect(
  { command: "npx", args: ["tenon", "run", "examples/booking.ts"] },
  { onElicit: elicitInTerminal() }, // forms, and pages to open, on stderr
);
const booked = await client.callTool("book", { from: "BER", to: "LIS" });
console.log(booked.text);
