/**
 * What a person has said yes to: `~/.config/bridle/trust.json`, by folder and by the
 * digest of what would be started.
 *
 * What a newcomer gets wrong: a clone of the project lies in another folder, and a changed
 * command has another digest, so either is asked about. For the person's own servers the
 * folder is that of their settings: the yes holds wherever an agent works.
 */
import { dirname, join } from "node:path";
import { Document, Failure, type JsonObject, type Ports, settingsFolder } from "@bridle/record";
import * as Type from "typebox";
import { Compile } from "typebox/compile";
import type { AskTrust, Env, TrustQuestion } from "../types.js";
import type { Covered } from "./covered.js";

export const TrustFile = Type.Object(
  {
    trustKind: Type.Literal("bridle.trust.v1"),
    folders: Type.Array(
      Type.Object(
        {
          folder: Type.String(),
          yes: Type.Array(
            Type.Object(
              {
                name: Type.String({ description: "`server <name>` or `tools`." }),
                digest: Type.String({
                  description: "Of the command line, the names of variables, the files.",
                }),
              },
              { additionalProperties: true },
            ),
          ),
        },
        { additionalProperties: true },
      ),
    ),
  },
  { additionalProperties: true, title: "What a person lets start outside the wall, by folder" },
);
type TrustFile = Type.Static<typeof TrustFile>;

/** What would be started, and where the yes to it is kept. */
export interface Wanted {
  readonly folder: string;
  /** Of one folder, one name has one yes. */
  readonly name: string;
  /** For a sentence. */
  readonly what: string;
  readonly covered: Covered;
}

export type Standing = "trusted" | "changed" | "new";

export class Trust {
  private constructor(private readonly document: Document<TrustFile> | undefined) {}

  static async open({ env, ports }: { readonly env: Env; readonly ports: Ports }): Promise<Trust> {
    const settings = settingsFolder(env);
    if (settings === undefined) return new Trust(undefined);
    const path = join(settings, "trust.json");
    const document = await Document.open<TrustFile>({
      ...{ ports, path, check: (value) => checked(value, path), members: ["trustKind", "folders"] },
      rows: { member: "folders", members: ["folder", "yes"], idOf: (row) => String(row["folder"]) },
    });
    return new Trust(document);
  }

  async standing({ folder, name, covered }: Wanted): Promise<Standing> {
    const file = await this.document?.read();
    const yes = file?.folders.find((each) => each.folder === folder)?.yes.find((each) => each.name === name);
    return yes === undefined ? "new" : yes.digest === covered.digest ? "trusted" : "changed";
  }

  /** Whether it may start: it was said yes to before, or is now. What is said yes to is kept. */
  async allows(wanted: Wanted, ask: AskTrust | undefined): Promise<boolean> {
    const standing = await this.standing(wanted);
    if (standing === "trusted") return true;
    if (ask === undefined || !(await ask(questionOf(wanted, standing)))) return false;
    await this.keep(wanted);
    return true;
  }

  /** It is asked about again. */
  async forget(wanted: Pick<Wanted, "folder" | "name">): Promise<void> {
    if ((await this.document?.read()) !== undefined) await this.set(wanted, []);
  }

  private async keep({ folder, name, covered }: Wanted): Promise<void> {
    await this.set({ folder, name }, [{ name, digest: covered.digest }]);
  }

  private async set(
    { folder, name }: Pick<Wanted, "folder" | "name">,
    now: readonly { readonly name: string; readonly digest: string }[],
  ): Promise<void> {
    await this.document?.change((file) => {
      const { folders, ...rest } = file ?? { trustKind: "bridle.trust.v1" as const, folders: [] };
      const before = folders.find((each) => each.folder === folder);
      const yes = [...(before?.yes ?? []).filter((each) => each.name !== name), ...now];
      return {
        ...rest,
        folders: [...folders.filter((each) => each !== before), { ...before, folder, yes }],
      };
    });
  }
}

function questionOf({ what, covered }: Wanted, standing: Standing): TrustQuestion {
  return { what, lines: covered.lines, changed: standing === "changed" };
}

/** Why something was not started, and who can change that. */
export function untrusted({ what }: Pick<Wanted, "what">, standing: Standing, how: string): string {
  const why = standing === "changed" ? "it is not what you said yes to" : "nobody has said yes to it here";
  return `${what} was not started: ${why}. ${how}`;
}

/** For entries of a file in the person's settings, wherever an agent works. */
export function folderOfYes(
  origin: "project" | "person",
  { root, file }: { readonly root: string; readonly file: string },
): string {
  return origin === "project" ? root : dirname(file);
}

function checked(value: JsonObject, path: string): TrustFile {
  if (Compile(TrustFile).Check(value)) return value;
  throw new Failure("document_invalid", {
    message: `${path} is not a list of what you let start`,
    hint: "Mend it, or move it away; then everything is asked about again.",
  });
}
