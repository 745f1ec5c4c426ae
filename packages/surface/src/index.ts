import "./failures.js";
export { artifactKinds } from "./artifact-kinds.js";
export { main } from "./cli/main.js";
export { settings } from "./cli/settings.js";
export { generateManifest, manifestFileText } from "./manifest/generate.js";
export { loadManifest } from "./manifest/load.js";
export { loadOperation, type Room, rooms } from "./manifest/rooms.js";
