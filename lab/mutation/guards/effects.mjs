// Checks of what is kept of a caller, and of effects that a user confirms or that happen once.

const spillTests = ["test/state/spill.test.ts"];
const onceTests = ["test/state/once.test.ts"];

export const effectGuards = [
  {
    rule: "R4",
    name: "the principal a key of once belongs to",
    folder: "src/effects",
    find: "context.principal ?? null, key]",
    replace: "key]",
    tests: onceTests,
  },
  {
    rule: "R4",
    name: "the arguments a key of once belongs to",
    folder: "src/effects",
    find: "if (record.digest !== call.digest) throw otherArguments(call.name);",
    replace: "",
    tests: onceTests,
  },
  {
    rule: "R4",
    name: "the user a state belongs to",
    folder: "src/state",
    find: "if (context.principal !== undefined) return userOf(context.principal);",
    replace: 'if (context.principal !== undefined) return "local";',
    tests: ["test/state/state.test.ts"],
  },
  {
    rule: "R5",
    name: "the room for states of one user",
    folder: "src/state",
    find: "assertRoom(changed, items, limits);",
    replace: "",
    tests: ["test/state/state.test.ts"],
  },
  {
    rule: "R4",
    name: "the caller a kept result belongs to",
    folder: "src/spill",
    find: "canonicalJson([owner, id])",
    replace: "canonicalJson([id])",
    tests: spillTests,
  },
  {
    rule: "R4",
    name: "the principal whose kept results are read",
    folder: "src/spill",
    find: "return { name: `principal ${principal}`, share: userOf(principal) };",
    replace: 'return { name: "principal", share: userOf(principal) };',
    tests: spillTests,
  },
  {
    rule: "R4",
    name: "the session a kept result belongs to",
    folder: "src/spill",
    find: "{ name: `session ${session}`,",
    replace: '{ name: "session",',
    tests: spillTests,
  },
  {
    rule: "R5",
    name: "the room for kept results of one caller",
    folder: "src/spill",
    find: "taken > 0 && (taken + kept.parts) * PART > maxKept",
    replace: "false",
    tests: spillTests,
  },
  {
    rule: "R5",
    name: "the room for kept results of all callers",
    folder: "src/spill",
    find: "if (await store.join(SPILL_PARTS, `${key} ${part}`, { ms: ttl, max })) continue;",
    replace: "if ((await store.join(SPILL_PARTS, `${key} ${part}`, { ms: ttl, max })) || true) continue;",
    tests: spillTests,
  },
  {
    rule: "R18",
    name: "the yes before a confirmed tool runs",
    folder: "src/effects",
    find: "return refusal ?? run();",
    replace: "return run();",
    tests: ["test/state/confirm.test.ts"],
  },
];
