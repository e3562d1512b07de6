// What drivers of other languages share: the client is a program that gets its target as an argument, and then reads questions
// and writes answers, each a line of JSON. Its first line says whether it is connected.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** Starts the program of a client, and waits until it is connected. */
export async function openProgram(command, args, target) {
  const child = spawn(command, [...args, JSON.stringify(target)], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error("the client's program ended");
    const { thrown, result } = JSON.parse(value);
    if (thrown !== undefined) throw new Error(thrown);
    return result;
  };
  const ask = (question) => {
    child.stdin.write(`${JSON.stringify(question)}\n`);
    return answer();
  };
  await answer();
  return {
    list: () => ask({}),
    call: (name, args) => ask({ name, args }),
    async close() {
      child.stdin.end();
      await once(child, "exit");
    },
  };
}
