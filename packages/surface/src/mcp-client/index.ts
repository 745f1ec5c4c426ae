/** Other servers' tools from outside: which there are, one more, one less, and whether one works. */
import type { Operation } from "@bridle/operation";
import { mcpAdd } from "./add.js";
import { mcpList } from "./list.js";
import { mcpRemove } from "./remove.js";
import { mcpTry } from "./try.js";

const streams = async () => (await import("../agent/process-streams.js")).processStreams();

export const operations: readonly Operation[] = [mcpList, mcpAdd, mcpRemove, mcpTry(streams)];
