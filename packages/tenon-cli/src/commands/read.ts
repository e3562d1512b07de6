/** `tenon read`: shows a resource. */
import { withServer } from "../connection/connection.ts";
import { describeContents } from "../terminal/content-text.ts";
import { bytesOfContents, save } from "./saved-bytes.ts";
import { UsageError } from "../failure.ts";
import { CLIENT_OPTIONS, type Command } from "../invocation.ts";

export const read: Command = {
  summary: "show a resource",
  usage: ["read <server> <uri>", "read <uri> -- <command> [argument ...]"],
  options: [...CLIENT_OPTIONS, "output"],
  optionHelp: { output: ["-o, --output file", "write the contents to this file, bytes as bytes; - is stdout"] },
  examples: ["tenon read server.ts notes://today", "tenon read server.ts photos://1 -o photo.png"],
  run: (invocation) =>
    withServer(invocation, ["uri"], async (client, uri) => {
      if (client.serverCapabilities.resources === undefined) throw new UsageError("This server has no resources.");
      const result = await client.readResource(uri, { signal: invocation.signal });
      const { output } = invocation.values;
      if (output !== undefined) {
        if (result.contents.length === 0) throw new Error("The resource has no contents to write.");
        await save(result.contents.map(bytesOfContents), output, invocation);
        return undefined;
      }
      const isBytes = result.contents.some((contents) => "blob" in contents);
      if (isBytes && invocation.values.json !== true && !invocation.terminal.isShown)
        throw new UsageError("The resource has bytes, not text: name a file with -o, or write them to stdout with -o -.");
      return { json: result, text: (paint) => result.contents.map((contents) => describeContents(contents, paint)).join("\n") };
    }),
};
