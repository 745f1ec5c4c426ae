import { join } from "node:path";
import { type JsonObject, nodePorts } from "@bridle/record";
import { describe, it } from "vitest";
import { newFolder } from "../../../../test/support/folder.js";
import { FileIssues } from "./file-issues.js";
import { FileSteps } from "./file-steps.js";
import { IssueTable, MemoryIssues } from "./memory-issues.js";
import { MemorySteps } from "./memory-steps.js";
import { type IssueStoreSubject, issueStoreSuite, type StepStoreSubject, stepStoreSuite } from "./suite.js";

const ports = nodePorts();

const issues: Readonly<Record<string, () => IssueStoreSubject>> = {
  "in a file": () => {
    const path = join(newFolder(), ".premath", "issues.jsonl");
    return () => FileIssues.open({ path, ports });
  },
  "in memory": () => {
    const table = new IssueTable();
    return async () => new MemoryIssues({ clock: ports.clock, table });
  },
};

const steps: Readonly<Record<string, () => StepStoreSubject>> = {
  "in a file": () => {
    const path = join(newFolder(), ".premath", "harness_trajectory.jsonl");
    return async () => new FileSteps({ path, ports });
  },
  "in memory": () => {
    const rows: JsonObject[] = [];
    return async () => new MemorySteps(rows);
  },
};

describe.each(Object.entries(issues))("issues %s", (_, subject) => {
  for (const each of issueStoreSuite) it(each.name, () => each.run(subject()));
});

describe.each(Object.entries(steps))("steps %s", (_, subject) => {
  for (const each of stepStoreSuite) it(each.name, () => each.run(subject()));
});
