// Checks of the gateway: what one caller may use of it, and what a server behind it can make it do.

const hostileTests = ["test/gateway/hostile.test.ts"];

export const gatewayGuards = [
  {
    rule: "R5",
    name: "calls that wait for an answer, in the quota of a caller",
    folder: "src/gateway",
    find: "this.#counted(call, () => this.#request(lane, call.server, heldRequest(signal), held));",
    replace: "this.#request(lane, call.server, heldRequest(signal), held);",
    tests: ["test/gateway/gateway.test.ts"],
  },
  {
    rule: "R5",
    name: "rest of a gateway after it has read the lists of a server",
    folder: "src/gateway",
    find: "Math.max(MIN_REST, clock.now() - begin)",
    replace: "0",
    tests: hostileTests,
  },
  {
    rule: "R9",
    name: "URIs of one request that are compared with templates",
    folder: "src/gateway",
    find: "if (uris.every((uri) => this.#canCompare(uri, budget))) return;",
    replace: "if (true) return;",
    tests: hostileTests,
  },
  {
    rule: "R9",
    name: "URIs of one listen stream that are compared with templates",
    folder: "src/gateway",
    find: "if (asked.length > 0) await host.assertComparable(context, asked);",
    replace: "",
    tests: hostileTests,
  },
  {
    rule: "R3",
    name: "a new task with the id of one that runs",
    folder: "src/gateway",
    find: "if (!this.#followed.has(keyOf(task))) return task;",
    replace: "if (true) return task;",
    tests: ["test/gateway/task-bridge.test.ts"],
  },
  {
    rule: "R18",
    name: "rules about the version that a plain name means",
    folder: "src/cli/commands/gateway/settings",
    find: " || (version !== undefined && isOne(patterns, keyOf(name, version)))",
    replace: "",
    tests: ["test/gateway/versions.test.ts"],
  },
  {
    rule: "R18",
    name: "a listed version is not the one that a call of an older version runs",
    folder: "src/gateway",
    find: "return isOlder ? withoutVersion(entry) : entry;",
    replace: "return entry;",
    tests: ["test/gateway/versions.test.ts"],
  },
  {
    rule: "R6",
    name: "bytes of a secret in a file that does not say its length",
    folder: "src/node/config",
    find: "return size > MAX_SECRET ? tooLong(`more than ${MAX_SECRET}`) : bytes.subarray(0, size);",
    replace: "return bytes.subarray(0, size);",
    tests: ["src/node/config/secret-file.test.ts"],
  },
];
