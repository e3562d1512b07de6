/** YAML for tests of packages that do not depend on a parser themselves. */
export { parse } from "yaml";
