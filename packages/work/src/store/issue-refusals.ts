/** Why the file of issue memory cannot be used or changed as it is, and what to do about it. */
import { type Damage, describeDamage, Failure, grouped, type Refusal, refuse } from "@bridle/record";
import { workLimits } from "../limits.js";

/** Why the file is no memory but two sides of one; nothing is changed before they are made one. */
export interface TwoSides {
  /** Where it shows: in git's index, as conflict markers, or as rows that did not grow from each other. */
  readonly where: "index" | "markers" | "rows";
  /** In a few words, for a sentence that begins with the file. */
  readonly says: string;
}

export const resolveCommand = "premath issue merge --resolve";

export function memoryMissing(shown: string): Refusal {
  return refuse("issue_memory_missing", {
    message: `there is no issue memory at ${shown}`,
    hint: "Make the first issue with `premath issue add <title>`, or name the file with --issues.",
  });
}

/** Whoever made the link expects issues there already; a disk that is not mounted would hide new ones later. */
export function linksToNowhere(shown: string, target: string): Refusal {
  return refuse("issue_memory_missing", {
    message: `${shown} links to ${target}, which is not there`,
    hint: "Make that file, an empty one will do, or take the link away.",
  });
}

export function unmergedFailure(shown: string, { says }: TwoSides, so = "it is not changed"): Failure {
  return new Failure("issue_memory_unmerged", {
    message: `${shown} ${says}; ${so}`,
    hint: `\`${resolveCommand}\` makes them one and says what to \`git add\`.`,
  });
}

export function damagedFailure(shown: string, first: Damage): Failure {
  return new Failure("log_damaged", {
    message: `${describeDamage(shown, first)}; it is not changed`,
    hint: `Look with \`bridle log verify ${shown}\`; \`bridle log repair ${shown}\` sets the damage aside.`,
    detail: { line: first.line, byte: first.byte },
  });
}

export function tooLargeFailure(shown: string, size: number): Failure {
  const megabytes = (bytes: number) => `${grouped(Math.ceil(bytes / 1024 / 1024))} MB`;
  return new Failure("issue_memory_too_large", {
    message: `${shown} has ${megabytes(size)}; issue memory has at most ${megabytes(workLimits.issuesBytesMax)}`,
    hint: "Move closed issues to another file, or look whether this is the file that you mean.",
    detail: { bytes: size, bytesMax: workLimits.issuesBytesMax },
  });
}
