// What lies in the folder in which a server is started.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** A cluster that nothing answers for. */
const KUBECONFIG = `apiVersion: v1
kind: Config
current-context: none
contexts: [{ name: none, context: { cluster: none, user: none } }]
clusters: [{ name: none, cluster: { server: "http://127.0.0.1:9" } }]
users: [{ name: none, user: {} }]
`;
const FILES = { "note.txt": "A note.\n", "index.js": "export const a = 1;\n", "kubeconfig.yaml": KUBECONFIG };

/** Writes the files, and returns the program with the folder in its arguments. */
export function prepared(program, folder) {
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  return { ...program, args: program.args.map((text) => text.replace("<home>", folder)) };
}
