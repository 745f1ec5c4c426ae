/** The event stream of issues: migrate and replay. */
import type { Operation } from "@bridle/operation";
import { issueMigrateEvents } from "../operations/issue-migrate-events.js";
import { issueReplayEvents } from "../operations/issue-replay-events.js";

export const operations: readonly Operation[] = [issueMigrateEvents, issueReplayEvents];
