/** By which name the answer of an operation is described in schemas/. */

/** Named before answers were named by their operation. */
const ownNames = {
  "log.verify": "bridle.log.verification.v1",
  "log.repair": "bridle.log.repair.v1",
  "log.follow": "bridle.log.follow.v1",
};
/** Answers that are artifacts with a kind of their own, which their room describes, or that nobody reads. */
const described =
  /^(?:harness\.(?:session\.|feature\.|trajectory\.(?:append|query)$|kpi\.)|bridle\.config$|mcp\.serve$)/;

/** Undefined where there is no schema for the answer alone. */
export function answerKind({ names: { action }, family }) {
  if (described.test(action)) return undefined;
  return ownNames[action] ?? `${family}.answer.${action.replace(/^hlq\./, "")}`;
}
