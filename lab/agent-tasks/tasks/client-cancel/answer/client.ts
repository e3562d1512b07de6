import { connect } from "tenon/client";

const [url = "", limit] = process.argv.slice(2);
await using client = await connect(url);
const signal = AbortSignal.timeout(Number(limit));
try {
  console.log((await client.callTool("wait", {}, { signal })).text);
} catch (error) {
  if (!signal.aborted) throw error;
  console.log("too slow");
  process.exitCode = 4;
}
