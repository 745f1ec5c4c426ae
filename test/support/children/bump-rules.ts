/** Counts a rule so often, one write each, beside other processes. */
import { join } from "node:path";
import { nodePorts } from "@bridle/record";
import { bumpRuleHits, RuleStats, ruleStatsName } from "../../../packages/rules/src/stats.js";
import { args, say } from "../child-kit.js";

const { workspace, times, rule } = args<{ workspace: string; times: number; rule: string }>();
const notice = (sentence: string) => say(`notice ${sentence}`);
const stats = new RuleStats({
  path: join(workspace, ruleStatsName),
  ports: nodePorts(),
  notice,
  lockWaitMsMax: 60_000,
});
for (let i = 0; i < times; i++) await bumpRuleHits(`refused (${rule})`, { stats, prevented: i % 2 === 0 });
say("done");
