/** The retry policy, and what fails. */
import type { Operation } from "@bridle/operation";
import { retryPolicyCheck, retryPolicySeal } from "../operations/retry-policy.js";
import { trajectoryCluster } from "../operations/trajectory-cluster.js";

export const operations: readonly Operation[] = [retryPolicyCheck, retryPolicySeal, trajectoryCluster];
