/** The fields of an issue as inputs, for those who make one and those who change one. */
import * as Type from "typebox";
import { issueStatuses, issueTypes, priorities } from "../memory/types.js";

/** What trackers call a kind of task is a label here. */
const labelled = (label: string) => ({ labels: [label] });
export const typesAsLabels = {
  bug: labelled("bug"),
  feature: labelled("feature"),
  chore: labelled("chore"),
} as const;

/** `brief` is what a model is told. */
export const textInput = (placeholder: string, description: string, brief = description) =>
  Type.String({
    "x-placeholder": placeholder,
    ...(brief === description ? {} : { "x-brief": brief }),
    description,
  });

export const issueIdInput = Type.String({
  minLength: 1,
  "x-position": 0,
  "x-placeholder": "id",
  description: "The issue.",
});

export const statusInput = Type.Optional(
  Type.Enum([...issueStatuses], { description: "Where it stands; closing keeps the rules of `close`." }),
);

export const fieldsInput = {
  description: Type.Optional(textInput("text", "What it is about, with how its success is checked.")),
  design: Type.Optional(textInput("text", "How it is to be done.")),
  acceptanceCriteria: Type.Optional(textInput("text", "When it is done.")),
  notes: Type.Optional(textInput("text", "What was found out on the way.")),
  priority: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 4,
      "x-short": "p",
      "x-means": Object.fromEntries(priorities.map((priority) => [`P${priority}`, { priority }])),
      "x-brief": "0 is the most urgent; 2 at first.",
      description: "0 is the most urgent, 4 the least; 2 at first.",
    }),
  ),
  issueType: Type.Optional(
    Type.Enum([...issueTypes], { "x-flag": "type", description: "epic or task; task at first." }),
  ),
  assignee: Type.Optional(textInput("name", "Who works on it.")),
  owner: Type.Optional(textInput("name", "Who answers for it.")),
  changesTests: Type.Optional(
    Type.Array(Type.String(), {
      "x-flag": "changes-test",
      // A name that is kept and compared; nothing is opened by it.
      "x-placeholder": "test",
      "x-brief": "Tests that the change may change.",
      description:
        "A test that its change may change, from the top of the repository; declared before the claim. Repeatable; blank for none.",
    }),
  ),
} as const;

/** What only a new issue is told. */
export const newIssueInput = {
  id: Type.Optional(textInput("id", "Its id; the smallest free bd-<n> when left out.")),
  ...fieldsInput,
  issueType: Type.Optional(
    Type.Enum([...issueTypes], {
      "x-flag": "type",
      "x-means": typesAsLabels,
      "x-brief": "epic or task; task at first.",
      description: "epic or task; bug, feature and chore are a task with that label.",
    }),
  ),
  labels: Type.Optional(
    Type.Array(Type.String(), {
      "x-flag": "label",
      "x-placeholder": "label",
      description: "A label; repeatable.",
    }),
  ),
  ephemeral: Type.Optional(
    Type.Boolean({ description: "Passing work, of which `issue check` asks no acceptance criteria." }),
  ),
} as const;
