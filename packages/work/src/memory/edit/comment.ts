/** Comments: added to, never changed. */
import { isRefusal } from "@bridle/record";
import { optionalText } from "../../text.js";
import { findIssue } from "../find.js";
import { formatTime } from "../issue-row.js";
import { type Asker, fenceMismatch } from "../lease.js";
import type { Comment, Decide } from "../types.js";
import { appended } from "./appended.js";
import { type Changed, changeRow } from "./changed.js";
import { blank } from "./fields.js";

export interface Commented extends Changed {
  readonly comment: Comment & { readonly id: number };
}

export interface CommentRequest extends Asker {
  readonly text: string;
  /** The asker when left out. */
  readonly author?: string;
}

export function commentIssue(id: string, request: CommentRequest): Decide<Commented> {
  return (graph, nowMs) => {
    const { text } = request;
    if (text.trim() === "") return blank("comment");
    const found = findIssue(graph, id);
    if (isRefusal(found)) return found;
    const late = fenceMismatch(found.issue, request.fence);
    if (late !== undefined) return late;
    const author = optionalText(request.author) ?? optionalText(request.actor) ?? "";
    const createdAt = formatTime(nowMs);
    const number = nextNumber(found.node.row["comments"]);
    const { answer, rows } = changeRow(found, {
      comments: appended(found.node.text, "comments", {
        id: number,
        issue_id: id,
        author,
        text,
        created_at: createdAt,
      }),
      updated_at: createdAt,
    });
    return { answer: { ...answer, comment: { id: number, author, text, createdAt } }, rows };
  };
}

/** One more than the greatest; ids of others that are no such numbers are left out of account. */
function nextNumber(comments: unknown): number {
  const list = Array.isArray(comments) ? (comments as readonly { readonly id?: unknown }[]) : [];
  const numbers = list.map(({ id }) => (Number.isSafeInteger(id) ? (id as number) : 0));
  return numbers.reduce((greatest, number) => Math.max(greatest, number), 0) + 1;
}
