// Guards in the command; paths are those of packages/tenon-cli.

export const commandGuards = [
  {
    rule: "R21",
    name: "cleaning of all that the command prints",
    folder: "src/terminal",
    find: "this.#stderr.write(`${coloured(line, this.#paintsNotes)}\\n`);",
    replace: "this.#stderr.write(`${line}\\n`);",
    tests: ["src/terminal/terminal.test.ts"],
  },
  {
    rule: "R18",
    name: "consent before a variable or a file of a configuration is read",
    folder: "src/consent",
    find: "if (unknown.length > 0 && !this.#agreesToAll) await ask(unknown, file, invocation);",
    replace: "",
    tests: ["test/gateway/consent.test.ts"],
  },
  {
    rule: "R18",
    name: "rules about the version that a plain name means",
    folder: "src/commands/gateway/settings",
    find: "return mayNameVersion && facts.version !== undefined && isOne(patterns, keyOf(name, facts.version));",
    replace: "return false;",
    tests: ["test/gateway/versions.test.ts"],
  },
  {
    rule: "R21",
    name: "the key of a model in errors of its API",
    folder: "src/inspect",
    find: 'error.message.replaceAll(key, "(the key)")',
    replace: "error.message",
    tests: ["src/inspect/model.test.ts"],
  },
];
