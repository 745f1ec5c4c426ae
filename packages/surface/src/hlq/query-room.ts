/** `hlq ask` and its companions, with the way from a question to the search harness. */
import type { Operation } from "@bridle/operation";
import { queryOperations } from "@bridle/query";

export const operations: readonly Operation[] = queryOperations(async (about, call) => {
  const { harnessEnd } = await import("./harness-bridge.js");
  return harnessEnd(about, call);
});
