/**
 * Loaded into the conformance program before it starts, because it lacks two things:
 *
 * - It imports `globSync` from "fs", which Node 20 does not have. Only its
 *   `tier-check` command calls it, so a stand-in that throws is enough.
 * - It cannot be told a token. undici lets a listener add a header to every
 *   request, the built-in fetch's and the npm package's alike.
 */
import { subscribe } from "node:diagnostics_channel";
import { register } from "node:module";

const fsWithGlob = `export * from "node:fs";
export function globSync() { throw new Error("not in Node 20"); }`;

const hooks = `export async function resolve(specifier, context, next) {
  const fromConformance = context.parentURL?.includes("/@modelcontextprotocol/conformance/");
  if (specifier === "fs" && fromConformance) return { url: ${JSON.stringify(inline(fsWithGlob))}, shortCircuit: true };
  return next(specifier, context);
}`;

register(inline(hooks));

subscribe("undici:request:create", ({ request }) => {
  request.addHeader("authorization", `Bearer ${process.env.CONFORMANCE_TOKEN}`);
});

function inline(code) {
  return `data:text/javascript,${encodeURIComponent(code)}`;
}
