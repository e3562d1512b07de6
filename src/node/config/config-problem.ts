/** What is wrong with a configuration file: everything at once, by file, server and field, and never by value. */

/** One thing that is wrong with a configuration, and where. */
export interface ConfigProblem {
  /** The server's name; undefined where the file as a whole is meant. */
  readonly server?: string;
  /** The field, such as `env.TOKEN` or `args[1]`; undefined where the server as a whole is meant. */
  readonly field?: string;
  /** What is wrong with it. Holds no value of the file, for values may be secrets. */
  readonly message: string;
}

/** A configuration that cannot be used. Its message lists all problems, and holds no value of the file (R21). */
export class ServerConfigError extends Error {
  override name = "ServerConfigError";
  /** The path of the file, or what an object was called. */
  readonly file: string;
  /** All there are, in the order of the file. */
  readonly problems: readonly ConfigProblem[];

  /** @internal */
  constructor(file: string, problems: readonly ConfigProblem[]) {
    super([`${file} cannot be used:`, ...problems.map(describeProblem)].join("\n- "));
    this.file = file;
    this.problems = problems;
  }
}

/** `server "files", field "env.TOKEN": must be a string` */
export function describeProblem({ server, field, message }: ConfigProblem): string {
  const places = [server !== undefined && `server ${JSON.stringify(server)}`, field !== undefined && `field ${JSON.stringify(field)}`];
  const where = places.filter((place) => place !== false).join(", ");
  return where === "" ? message : `${where}: ${message}`;
}
