/**
 * Tests and Tenon become CommonJS: ts-jest compiles the .ts files of the project, and
 * the .js files of the packages that are ES modules.
 */
module.exports = {
  testEnvironment: "node",
  transform: { "^.+\\.(ts|js)$": ["ts-jest", { tsconfig: "tsconfig.json" }] },
  transformIgnorePatterns: ["/node_modules/(?!(tenon|jose|oauth4webapi|eventsource-parser)/)"],
};
