/**
 * pi-tui, loaded when somebody sits at a terminal and not before: other commands
 * would start later for it.
 */

export type Pi = typeof import("@earendil-works/pi-tui");

/** Links show where they lead and pictures are words: what a model writes has no other way to the terminal. */
export async function loadPi(): Promise<Pi> {
  const pi = await import("@earendil-works/pi-tui");
  pi.setCapabilities({ images: null, trueColor: false, hyperlinks: false });
  return pi;
}
