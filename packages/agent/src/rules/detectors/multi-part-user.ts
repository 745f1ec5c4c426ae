import type { Detector } from "../types.js";
export const multiPartUser: Detector = { begin: () => ({}) };
