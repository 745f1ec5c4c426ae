/**
 * Loaded into the conformance program before it starts, because it cannot be told
 * a token. undici lets a listener add a header to every request, the built-in
 * fetch's and the npm package's alike.
 */
import { subscribe } from "node:diagnostics_channel";

subscribe("undici:request:create", ({ request }) => {
  request.addHeader("authorization", `Bearer ${process.env.CONFORMANCE_TOKEN}`);
});
