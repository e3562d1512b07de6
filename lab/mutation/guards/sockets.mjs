// Checks of Unix sockets: who may connect, and which files are left as they are.

export const socketGuards = [
  {
    rule: "R22",
    name: "the mode of a socket before anyone can connect",
    folder: "src/node/http",
    find: "isMainThread && hasModes ? process.umask(~mode & 0o777) : undefined",
    replace: "undefined",
    tests: ["test/http/unix-socket.test.ts"],
  },
  {
    rule: "R19",
    name: "a file at the path of a socket",
    folder: "src/node/http",
    find: "if (!found.isSocket()) {",
    replace: "if (false) {",
    tests: ["test/http/unix-socket.test.ts"],
  },
  {
    rule: "R5",
    name: "share of the clients of a socket",
    folder: "src/node/http",
    find: 'options.socket === undefined ? undefined : "socket"',
    replace: "undefined",
    tests: ["test/http/unix-socket.test.ts"],
  },
];
