// A Cloudflare Worker. Cloudflare passes on only what is for the routes of this worker, so that the names are not checked again here.
import { createFetchHandler } from "tenon/server";
import { server } from "./server.ts";

export default {
  fetch: createFetchHandler(server, {
    allowedHosts: "any",
    clientAddress: "cf-connecting-ip", // Cloudflare writes it; without users who log in, each address has its share of the limits
    sessions: false, // two requests of one client may reach two isolates, which share no memory
    welcome: true, // the address opened in a browser says how to add the server
  }),
};
