/**
 * Timestamps, many of them, without garbage.
 *
 * Says the same as the record's `parseInstant`, which is asked about everything
 * but the usual form in UTC; the answer stands in the reader's own fields. A
 * million rows are read in the time that a tenth of them would take otherwise.
 */
import { parseInstant } from "@bridle/record";

const zero = 48;
const upperZ = 90;

export class InstantReader {
  /** Of the last timestamp that was read. */
  seconds = 0;
  fraction = "";
  /** The last date that was looked up in the calendar, as YYYYMMDD, and when it began. */
  private date = Number.NaN;
  private dateSeconds = 0;

  /** False when it is no RFC 3339 timestamp; then the fields mean nothing. */
  read(text: string): boolean {
    const { length } = text;
    if (length < 20 || text.charCodeAt(length - 1) !== upperZ) return this.readSlowly(text);
    if (
      text.charCodeAt(4) !== 45 ||
      text.charCodeAt(7) !== 45 ||
      text.charCodeAt(10) !== 84 ||
      text.charCodeAt(13) !== 58 ||
      text.charCodeAt(16) !== 58
    ) {
      return this.readSlowly(text);
    }
    const date =
      twoDigits(text, 0) * 1_000_000 +
      twoDigits(text, 2) * 10_000 +
      twoDigits(text, 5) * 100 +
      twoDigits(text, 8);
    const hour = twoDigits(text, 11);
    const minute = twoDigits(text, 14);
    const second = twoDigits(text, 17);
    // Not a number fails every comparison; a leap second is for the one who knows the calendar.
    if (!(hour <= 23 && minute <= 59 && second <= 59)) return this.readSlowly(text);
    if (date !== this.date && !this.lookUp(date, text)) return false;
    if (length === 20) this.fraction = "";
    else if (!this.readFraction(text)) return false;
    this.seconds = this.dateSeconds + hour * 3600 + minute * 60 + second;
    return true;
  }

  private lookUp(date: number, text: string): boolean {
    const midnight = parseInstant(`${text.slice(0, 10)}T00:00:00Z`);
    if (midnight === undefined) return false;
    this.date = date;
    this.dateSeconds = midnight.seconds;
    return true;
  }

  private readFraction(text: string): boolean {
    const fraction = /^\.(\d{1,18})Z$/.exec(text.slice(19))?.[1];
    if (fraction === undefined) return false;
    this.fraction = fraction.replace(/0+$/, "");
    return true;
  }

  private readSlowly(text: string): boolean {
    const instant = parseInstant(text);
    if (instant === undefined) return false;
    this.seconds = instant.seconds;
    this.fraction = instant.fraction;
    return true;
  }
}

function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - zero;
  const ones = text.charCodeAt(at + 1) - zero;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}
