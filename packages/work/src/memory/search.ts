/**
 * Issues that hold every word that was asked for, wherever it stands.
 *
 * Where a word stands decides the order: an id counts more than a title, a title
 * more than a label, a label more than prose. Issues that are not closed come
 * before closed ones of the same weight, then priority and id decide, so that
 * the same question has the same answer everywhere.
 */
import { isJsonObject, type JsonValue } from "@bridle/record";
import type { IssueGraph } from "./graph.js";
import { compareUrgency, type IssueNode } from "./node.js";

const weights = { id: 16, title: 8, labels: 4, description: 2, notes: 1, comments: 1 } as const;
export const searchedFields = ["id", "title", "labels", "description", "notes", "comments"] as const;
export type SearchedField = (typeof searchedFields)[number];

export interface Hit {
  readonly node: IssueNode;
  readonly score: number;
  /** Where some of the words stand. */
  readonly matchedIn: readonly SearchedField[];
}

/** `words` without blanks; at least one. */
export function searchIssues(graph: IssueGraph, words: readonly string[]): Hit[] {
  const wanted = [...new Set(words.map((word) => word.toLowerCase()))];
  const hits: Hit[] = [];
  for (const node of graph.nodes()) {
    const hit = node.sound ? hitOf(node, wanted) : undefined;
    if (hit !== undefined) hits.push(hit);
  }
  return hits.sort(
    (left, right) =>
      right.score - left.score ||
      Number(left.node.closed) - Number(right.node.closed) ||
      compareUrgency(left.node, right.node),
  );
}

function hitOf(node: IssueNode, words: readonly string[]): Hit | undefined {
  const texts = searchedFields.map((field) => ({ field, text: textIn(node, field).toLowerCase() }));
  const matchedIn = new Set<SearchedField>();
  let score = 0;
  for (const word of words) {
    const found = texts.filter(({ text }) => text.includes(word));
    if (found.length === 0) return undefined;
    for (const { field, text } of found) {
      matchedIn.add(field);
      // A field that is the word, and not only holds it, is what was meant.
      score += weights[field] * (text === word ? 4 : 1);
    }
  }
  return { node, score, matchedIn: searchedFields.filter((field) => matchedIn.has(field)) };
}

function textIn({ id, title, row }: IssueNode, field: SearchedField): string {
  switch (field) {
    case "id":
      return id;
    case "title":
      return title;
    case "labels":
      return listIn(row["labels"]).filter(isText).join("\n");
    case "comments":
      return listIn(row["comments"])
        .map((comment) => (isJsonObject(comment) ? comment["text"] : undefined))
        .filter(isText)
        .join("\n");
    default: {
      const value = row[field];
      return isText(value) ? value : "";
    }
  }
}

function listIn(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === "string";
}
