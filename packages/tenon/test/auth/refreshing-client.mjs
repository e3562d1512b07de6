// One of several processes with the same file store: connects, says so, and makes eight calls at once when it is told to.
import { connect } from "tenon/client";
import { oauth } from "tenon/auth";
import { fileStore } from "tenon/node";

const [url, directory] = process.argv.slice(2);
const open = () => {
  console.log(JSON.stringify({ opened: true }));
  throw new Error("No user here");
};
const client = await connect(url, { auth: oauth({ store: fileStore({ directory }), open }) });
console.log(JSON.stringify({ ready: true }));
process.stdin.once("data", async () => {
  const calls = Array.from({ length: 8 }, (_, index) => client.callTool("echo", { index }));
  const outcomes = await Promise.allSettled(calls);
  console.log(JSON.stringify({ done: outcomes.map(({ status, reason }) => reason?.message ?? status) }));
  await client.close();
  process.exit();
});
