/** Resources: fixed ones, text and bytes, a template, and one to watch. */
import { bytesOf, PNG } from "./media.mjs";

export function addResources(server) {
  server.resource(
    "test://static-text",
    { name: "Static Text Resource", description: "Text that never changes", mimeType: "text/plain" },
    () => "This is the content of the static text resource.",
  );

  server.resource(
    "test://static-binary",
    { name: "Static Binary Resource", description: "An image that never changes", mimeType: "image/png" },
    () => bytesOf(PNG),
  );

  server.resourceTemplate(
    "test://template/{id}/data",
    { name: "Resource Template", description: "Data by id", mimeType: "application/json" },
    ({ id }) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
  );

  server.resource(
    "test://watched-resource",
    { name: "Watched Resource", description: "Can be subscribed to", mimeType: "text/plain" },
    () => "Watch me",
  );
}
