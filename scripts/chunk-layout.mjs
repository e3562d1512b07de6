// Which modules share a file in `dist/chunks/`. Node pays a third of a millisecond for each file it loads, so what the
// core entries load at once is put into a few; all else is cut as the bundler cuts it, where entries and lazy imports part.
//
// What an entry loads late is not in a file it loads at once, save for `base`, which nearly every process comes to need.
// A user's bundler removes unused statements, not modules, so top-level statements of modules in `base` are marked pure.
import { dirname } from "node:path";

/** The groups, for rolldown, and the plugin that learns what imports what before they are asked for. `fileOf` finds an entry's module. */
export function chunkLayout(fileOf) {
  const modules = new Map();
  const known = new Map();

  /** The modules that an entry loads at once or, with `late`, may load at any time. */
  function closure(entry, late = false) {
    const key = `${entry} ${late}`;
    if (!known.has(key)) known.set(key, reach(modules, fileOf(entry), late));
    return known.get(key);
  }

  const ofWire = (id) => id.startsWith(dirname(fileOf("wire/revisions")));
  const ofBoth = (id) => closure("server/index").has(id) && closure("client/index", true).has(id);
  const ofConnections = (id) =>
    closure("node/index").has(id) && (closure("server/index", true).has(id) || closure("client/index", true).has(id));
  const ofGroups = (id) => closure("server/index").has(id) && closure("group/index").has(id);
  // Small ones that many parts use. The engine of JSON Schemas would be five files otherwise, and an HTTP server would load the client for `waits`.
  const MANY_USE = ["base/bounds/bounded-map", "base/json-pointer", "base/waits", "schema/schema-limits", "schema/value-keywords"];
  const ofMany = (id) => MANY_USE.some((name) => id === fileOf(name));
  const groups = {
    // Messages, errors, limits, the dispatcher. Loading it has no effects: bundlers leave out what is not used.
    // What groups and servers share is there too: a group would load a whole server for it otherwise.
    base: (id) => (ofBoth(id) || ofConnections(id) || ofGroups(id) || ofMany(id)) && !ofWire(id),
    // The revisions: data above all, which bundlers keep as a whole.
    wire: (id) => ofBoth(id) && ofWire(id),
    server: (id) => closure("server/index").has(id),
    client: (id) => closure("client/index").has(id),
    // Requests and responses of HTTP, and what refuses them.
    http: (id) => closure("server/http/refusals").has(id),
    // Standard streams, and whatever else starts a server on Node. A layer above a server takes its streams from it, too.
    node: (id) => closure("node/index").has(id),
  };
  return {
    plugin: { name: "chunk-layout", moduleParsed: (module) => void modules.set(module.id, module) },
    // The first group that takes a module has it, and what it imports that no group has yet.
    groups: Object.entries(groups).map(([name, test], index, { length }) => ({ name, test, priority: length - index })),
  };
}

function reach(modules, start, late) {
  const found = new Set();
  const visit = (id) => {
    const module = modules.get(id);
    if (module === undefined || found.has(id)) return;
    found.add(id);
    for (const imported of module.importedIds) visit(imported);
    if (late) for (const imported of module.dynamicallyImportedIds) visit(imported);
  };
  visit(start);
  return found;
}
