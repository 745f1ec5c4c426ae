/** Whether a log is marked as damaged, looked at once per holding of its lock. */
import type { Local } from "../local.js";
import { damagedFailure, isMarked } from "./marker.js";
import type { LogOptions } from "./types.js";

export class DamageWatch {
  /** Whether the marker was looked at since the lock was taken, and does not keep rows out. */
  cleared = false;
  private warned = false;

  constructor(
    private readonly local: Local,
    private readonly options: LogOptions,
  ) {}

  /** Throws for a log that bears state; of another the caller is told once, and rows are still added. */
  async refuseDamaged(): Promise<void> {
    this.cleared = !(await isMarked(this.local, this.options.ports));
    if (this.cleared) return;
    if (this.options.bearing === "state") throw damagedFailure(this.local);
    this.cleared = true;
    if (this.warned) return;
    this.warned = true;
    this.options.notice?.(
      `${this.local.name} was found damaged; rows are still added to it. ` +
        `\`bridle log repair ${this.local.path}\` sets the damage aside.`,
    );
  }
}
