/** The types of clauses.mjs, for the tests that import it. */

export interface Place {
  readonly file: string;
  readonly line: number;
}

export interface Clause extends Place {
  readonly id: string;
  readonly document: string;
  readonly status: "done" | "planned";
  readonly strength: "must" | "should" | "may";
  readonly text: string;
}

export interface Citation extends Place {
  readonly id: string;
  readonly title: string;
}

export interface Problem extends Place {
  readonly message: string;
}

export interface Collected {
  readonly clauses: Clause[];
  readonly problems: Problem[];
}

export interface Counts {
  readonly document: string;
  readonly clauses: number;
  readonly done: number;
  readonly planned: number;
  readonly cited: number;
}

export interface Verdict {
  readonly documents: Counts[];
  readonly clauses: (Clause & { readonly citedBy: (Place & { readonly title: string })[] })[];
  readonly problems: Problem[];
}

export function collectClauses(root: string): Collected;
export function collectCitations(root: string): Citation[];
export function testTitles(source: string): { title: string; line: number }[];
export function judge(collected: Collected, citations: readonly Citation[]): Verdict;
