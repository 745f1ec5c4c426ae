/** Claims and leases. */
import type { Operation } from "@bridle/operation";
import { issueClaim } from "../operations/issue-claim.js";
import { issueClaimNext } from "../operations/issue-claim-next.js";
import { issueLeaseRelease } from "../operations/issue-lease-release.js";
import { issueLeaseRenew } from "../operations/issue-lease-renew.js";
import { issueLeases } from "../operations/issue-leases.js";

export const operations: readonly Operation[] = [
  issueClaim,
  issueClaimNext,
  issueLeaseRenew,
  issueLeaseRelease,
  issueLeases,
];
