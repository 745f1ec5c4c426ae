/**
 * Which worker a step belongs to, by its id.
 *
 * A worker names its steps `<worker>.<issue>.<number>`, and a coordinator names
 * its workers `worker.1`, `worker.2`: what comes before the first dot is not
 * enough, or all of them are one worker called `worker`.
 */
export function workerOf(stepId: string, issueId: string): string {
  const mark = `.${issueId}`;
  for (let at = stepId.lastIndexOf(mark); at > 0; at = stepId.lastIndexOf(mark, at - 1)) {
    const after = stepId[at + mark.length];
    if (after === undefined || after === ".") return stepId.slice(0, at);
  }
  return /^[^.]+(?:\.\d+(?=\.))?/.exec(stepId)?.[0] ?? stepId;
}
