/** Issue memory in its file, as a store; everything that only a file has is its `file`. */
import type { Refusal } from "@bridle/record";
import type { IssueGraph } from "../memory/graph.js";
import type { Decide } from "../memory/types.js";
import { IssueMemory, type IssueMemoryOptions } from "./issue-file.js";
import type { IssueStore } from "./types.js";

export class FileIssues implements IssueStore {
  private constructor(readonly file: IssueMemory) {}

  static async open(options: IssueMemoryOptions): Promise<FileIssues> {
    return new FileIssues(await IssueMemory.open(options));
  }

  async graph(): Promise<IssueGraph | undefined> {
    const graph = await this.file.graph();
    return this.file.exists ? graph : undefined;
  }

  change<Answer>(
    decide: Decide<Answer>,
    options: { readonly create?: boolean } = {},
  ): Promise<Answer | Refusal> {
    return this.file.change(decide, options);
  }

  takeNotices(): string[] {
    return this.file.takeNotices();
  }

  close(): Promise<void> {
    return this.file.close();
  }
}
