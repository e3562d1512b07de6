/** `tenon read`: shows a resource. */
import { withServer } from "../connection/connection.ts";
import { describeContents } from "../terminal/content-text.ts";
import { UsageError } from "../failure.ts";
import { CLIENT_OPTIONS, type Command } from "../invocation.ts";

export const read: Command = {
  summary: "show a resource",
  usage: ["read <server> <uri>", "read <uri> -- <command> [argument ...]"],
  options: CLIENT_OPTIONS,
  examples: ["tenon read server.ts notes://today"],
  run: (invocation) =>
    withServer(invocation, ["uri"], async (client, uri) => {
      if (client.serverCapabilities.resources === undefined) throw new UsageError("This server has no resources.");
      const result = await client.readResource(uri, { signal: invocation.signal });
      return { json: result, text: (paint) => result.contents.map((contents) => describeContents(contents, paint)).join("\n") };
    }),
};
