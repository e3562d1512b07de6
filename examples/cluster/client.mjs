/** Counts again and again at whichever node the balancer takes. Kill nodes meanwhile: every count ends with one result. */
import { connect } from "tenon";

const [url = "http://127.0.0.1:3000/mcp", times = "100", to = "10"] =
  process.argv.slice(2);
const client = await connect(url, { revision: "2025-11-25" });
for (let time = 1; time <= Number(times); time++) {
  const { text } = await client.callTool(
    "count",
    { to: Number(to) },
    {
      onProgress: ({ progress, message }) =>
        console.log(`  ${progress} ${message}`),
    },
  );
  console.log(text);
}
await client.close();
