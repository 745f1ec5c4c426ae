/** Lists that grow without a box for every number, and names that mostly repeat: what many rows are noted in. */

export class GrowingNumbers {
  private values = new Float64Array(64);
  length = 0;

  push(value: number): void {
    if (this.length === this.values.length) {
      const larger = new Float64Array(Math.ceil(this.length * 1.5));
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.length++] = value;
  }

  at(i: number): number {
    return this.values[i] as number;
  }

  view(): Float64Array {
    return this.values.subarray(0, this.length);
  }
}

/** Rows come source by source, so only the changes are kept. */
export class GrowingNames {
  private readonly starts: number[] = [];
  private readonly names: string[] = [];
  private length = 0;

  push(name: string): void {
    if (this.names.at(-1) !== name) {
      this.starts.push(this.length);
      this.names.push(name);
    }
    this.length++;
  }

  at(i: number): string {
    let [low, high] = [0, this.starts.length];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((this.starts[middle] as number) <= i) low = middle + 1;
      else high = middle;
    }
    return this.names[low - 1] as string;
  }
}
