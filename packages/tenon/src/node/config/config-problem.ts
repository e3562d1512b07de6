/** The errors of a configuration file: all of them at once, by file, line, server and field. Security: never by value. */

/** One problem of a configuration. */
export interface ConfigProblem {
  /** The server's name; undefined if the problem is about the whole file. */
  readonly server?: string;
  /** The field, such as `env.TOKEN` or `args[1]`; undefined if the problem is about the whole server. */
  readonly field?: string;
  /** The line of the file, from 1; undefined for an object, and if the whole file is wrong. */
  readonly line?: number;
  /** What is wrong. Holds no value of the file, because values may be secrets. */
  readonly message: string;
}

/** A configuration cannot be used. The message lists all problems, and holds no value of the file. */
export class ServerConfigError extends Error {
  override name = "ServerConfigError";
  /** The path of the file, or "The configuration" for an object. */
  readonly file: string;
  /** All problems, in the order of the file. */
  readonly problems: readonly ConfigProblem[];

  /** @internal */
  constructor(file: string, problems: readonly ConfigProblem[]) {
    super([`${file} cannot be used:`, ...problems.map(describeProblem)].join("\n- "));
    this.file = file;
    this.problems = problems;
  }
}

/** `line 4, server "files", field "env.TOKEN": must be a string` */
export function describeProblem({ line, server, field, message }: ConfigProblem): string {
  const places = [
    line !== undefined && `line ${line}`,
    server !== undefined && `server ${JSON.stringify(server)}`,
    field !== undefined && `field ${JSON.stringify(field)}`,
  ];
  const where = places.filter((place) => place !== false).join(", ");
  return where === "" ? message : `${where}: ${message}`;
}
