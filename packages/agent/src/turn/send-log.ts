/**
 * Where a send writes what happens: a row for the session's log, an event for
 * whoever watches.
 *
 * What a newcomer gets wrong: `emit` is the only way to change what a send knows. It
 * writes a row and reduces it; a resume reduces the rows that are there, so the two
 * cannot differ.
 */
import type { CallLog } from "../dispatch/context.js";
import type { Finding } from "@bridle/rules";
import { policies, policyDigests } from "../session/policies.js";
import type { At, RowOf, SessionRow } from "../session/rows.js";
import type { AgentEvent } from "../types.js";
import type { SendProjection } from "./projection.js";
import type { Session } from "./session.js";

/** Of a result that is shown without a reminder. */
const emptyRender = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

export class SendLog implements CallLog {
  constructor(
    private readonly session: Session,
    private readonly projection: SendProjection,
  ) {}

  get at(): At {
    const { send, round } = this.projection.state;
    return { send, round };
  }

  emit(row: SessionRow): void {
    const { session, projection } = this;
    session.journal.add(row);
    session.apply(row);
    const findings = projection.apply(row);
    if (findings.length > 0) for (const { rule, finding } of findings) this.found(rule.id, finding, "note");
    if (row.type === "end") session.untold = projection.state.told;
    const { current: plan } = projection.plan;
    if (row.type === "tool_result" && row.tool === "plan" && row.ok && plan !== undefined)
      void this.tell({ type: "plan", plan });
  }

  /** A row that another process wrote. */
  takeUp(row: SessionRow): void {
    this.projection.takeUp(row);
    if (row.type === "end") this.session.untold = this.projection.state.told;
  }

  found(rule: string, { what, remedy }: Finding, told: RowOf<"violation">["told"]): void {
    const prevented = told !== "note";
    this.emit({ type: "violation", ...this.at, rule, what, remedy, prevented, told });
    void this.tell({ type: "rule_violation", rule, what, prevented });
  }

  rendered({ callId, digest }: RowOf<"tool_result">): void {
    this.emit({
      type: "tool_render",
      ...this.at,
      toolCallId: callId,
      operatorPayloadDigest: digest,
      reminderRenderDigest: emptyRender,
      injectionPoint: policies.toolRender.injectionPoint,
      policyDigest: policyDigests.toolRender,
    });
  }

  tell(event: AgentEvent): void | Promise<void> {
    return this.session.options.onEvent?.(event);
  }
}
