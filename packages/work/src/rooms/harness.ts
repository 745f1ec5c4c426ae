/** Writing a session and beginning from one, the feature ledger, the trajectory and the KPI. */
import type { Operation } from "@bridle/operation";
import { featureCheck } from "../operations/feature-check.js";
import { featureNext } from "../operations/feature-next.js";
import { featureRead } from "../operations/feature-read.js";
import { featureWrite } from "../operations/feature-write.js";
import { kpiRemediate } from "../operations/kpi-remediate.js";
import { kpiReport } from "../operations/kpi-report.js";
import { sessionBootstrap } from "../operations/session-bootstrap.js";
import { sessionWrite } from "../operations/session-write.js";
import { trajectoryAppend } from "../operations/trajectory-append.js";
import { trajectoryQuery } from "../operations/trajectory-query.js";

export const operations: readonly Operation[] = [
  sessionWrite,
  sessionBootstrap,
  featureRead,
  featureWrite,
  featureCheck,
  featureNext,
  trajectoryAppend,
  trajectoryQuery,
  kpiReport,
  kpiRemediate,
];
