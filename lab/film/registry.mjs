// A registry for npm on this machine: it has the packages that were just packed, and sends npm to the real one for all others.
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

/** A package as a registry describes it. */
function described(tarball, url) {
  const bytes = readFileSync(tarball.file);
  const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
  const { name, version } = tarball.manifest;
  const dist = { integrity, tarball: `${url}/-/${name}.tgz` };
  return { bytes, packument: { name, "dist-tags": { latest: version }, versions: { [version]: { ...tarball.manifest, dist } } } };
}

/**
 * Serves packed packages by their names.
 * @param {readonly { file: string, manifest: { name: string, version: string } }[]} tarballs
 * @param {string} elsewhere the registry of all other packages
 */
export async function startRegistry(tarballs, elsewhere) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, url);
    const found = packages.get(pathname.replace(/^\/(?:-\/)?/, "").replace(/\.tgz$/, ""));
    if (found === undefined) response.writeHead(302, { location: `${elsewhere.replace(/\/$/, "")}${pathname}` }).end();
    else if (pathname.endsWith(".tgz")) response.writeHead(200, { "content-type": "application/octet-stream" }).end(found.bytes);
    else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(found.packument));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}`;
  const packages = new Map(tarballs.map((tarball) => [tarball.manifest.name, described(tarball, url)]));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url, close };
}
