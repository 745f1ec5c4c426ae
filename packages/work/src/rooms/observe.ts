/**
 * What is seen and judged of the work: turns, failures, how things stand, whether they belong
 * together, and what goes to another folder. One part, because what they share would otherwise be
 * cut into as many files as there are pairs of them.
 */
import type { Operation } from "@bridle/operation";
import { coherenceCheck } from "../operations/coherence-check.js";
import { harnessJoinCheck } from "../operations/join-check.js";
import {
  observeBuild,
  observeInstruction,
  observeLatest,
  observeNeedsAttention,
  observeProjection,
} from "../operations/observe.js";
import { retryPolicyCheck, retryPolicySeal } from "../operations/retry-policy.js";
import { trajectoryCluster } from "../operations/trajectory-cluster.js";
import { transportSend } from "../operations/transport-send.js";

export const operations: readonly Operation[] = [
  harnessJoinCheck,
  retryPolicyCheck,
  retryPolicySeal,
  trajectoryCluster,
  observeLatest,
  observeNeedsAttention,
  observeInstruction,
  observeProjection,
  observeBuild,
  coherenceCheck,
  transportSend,
];
