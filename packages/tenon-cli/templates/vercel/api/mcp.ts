// A function of Vercel, at /mcp. Vercel passes on only what is for the domains of the project, so that the names are not checked again here.
import { createFetchHandler } from "tenon/server";
import { server } from "../src/server.ts";

const mcp = createFetchHandler(server, {
  allowedHosts: "any",
  clientAddress: "x-real-ip", // Vercel writes it; without users who log in, each address has its share of the limits
  sessions: false, // two requests of one client may reach two instances, which share no memory
  welcome: true, // the address opened in a browser says how to add the server
});

export { mcp as DELETE, mcp as GET, mcp as OPTIONS, mcp as POST };
