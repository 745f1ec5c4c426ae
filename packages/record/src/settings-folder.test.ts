import { expect, it } from "vitest";
import { settingsFolder } from "./settings-folder.js";

it("settings lie where XDG says, if that is a whole path, and else in the home, if there is one", () => {
  expect(settingsFolder({ XDG_CONFIG_HOME: "/x", HOME: "/h" })).toBe("/x/bridle");
  expect(settingsFolder({ XDG_CONFIG_HOME: "x", HOME: "/h" })).toBe("/h/.config/bridle");
  expect(settingsFolder({ HOME: "/h" })).toBe("/h/.config/bridle");
  expect([settingsFolder({}), settingsFolder({ HOME: "h" })]).toEqual([undefined, undefined]);
});
